load "return 1" ()
