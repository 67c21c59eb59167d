"""A team's store on PostgreSQL: send this folder's events there, and take in those of others.

The local log comes first, always; the store is a second copy that all machines of a team share. psycopg is imported
only where a database is named.
"""
