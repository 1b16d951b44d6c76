return ("").__index.x
