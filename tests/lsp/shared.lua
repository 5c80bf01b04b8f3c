-- One of two editors that share an engine: analyses at the cursor, and writes every update down.
-- Run by test_shared.py; GAME is the record, UPDATES the file to write.
local analysis = require('kifud.analysis')
local out = assert(io.open(assert(os.getenv('UPDATES')), 'a'))
local update = analysis.update
analysis.update = function(event)
  out:write(vim.json.encode(event), '\n')
  out:flush()
  update(event)
end

vim.cmd('edit ' .. vim.fn.fnameescape(assert(os.getenv('GAME'))))
local record = vim.api.nvim_get_current_buf()
assert(vim.wait(20000, function()
  return require('kifud.server').client(record) ~= nil
end, 20))
assert(vim.fn.search('\\V;W[', 'c') > 0)
vim.cmd('doautocmd CursorMoved')
vim.cmd('KifudAnalyze katago')
