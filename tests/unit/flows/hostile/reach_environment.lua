local _ENV = { pcall = pcall, error = error }
_ENV._G.os = 1
