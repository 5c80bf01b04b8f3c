-- Commands and the server. Everything else is loaded when it is first needed.
if vim.g.loaded_kifud then
  return
end
vim.g.loaded_kifud = true

require('kifud.server').enable()

local function command(name, run, options)
  vim.api.nvim_create_user_command(name, run, options)
end

command('KifudBoard', function()
  require('kifud.board').open()
end, { desc = 'Show the board at the cursor' })

command('KifudAnalyze', function(call)
  require('kifud.analysis').start(call.args ~= '' and call.args or nil)
end, {
  nargs = '?',
  complete = function()
    return require('kifud.analysis').engine_names()
  end,
  desc = 'Analyse the position at the cursor and follow it',
})

command('KifudStop', function()
  require('kifud.analysis').stop()
end, { desc = 'Stop the analysis and write its values into the record' })
