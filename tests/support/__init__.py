"""What the tests share: faulty disks, literal formulas, sample banks and a terminal."""
