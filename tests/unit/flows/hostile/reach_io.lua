io.open "/etc/passwd"
