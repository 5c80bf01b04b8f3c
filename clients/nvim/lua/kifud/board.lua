--- The board beside the record: a scratch buffer that is rewritten whenever something changes.
local draw = require('kifud.draw')
local follow = require('kifud.follow')
local server = require('kifud.server')
local M = {}

local buffer = nil
local listening = false
local analysis = {}

local function lines_of(here)
  if not here then
    return { 'Waiting for kifud' }
  elseif here.error then
    return { here.error }
  end
  local lines = draw.board(here.board, server.options().ascii)
  if #analysis > 0 then
    lines[#lines + 1] = ''
    vim.list_extend(lines, analysis)
  end
  return lines
end

local function is_open()
  return buffer ~= nil and vim.api.nvim_buf_is_valid(buffer)
end

local function redraw()
  if not is_open() then
    return
  end
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines_of(follow.here))
  vim.bo[buffer].modifiable = false
end

local function create()
  buffer = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(buffer, 'kifud://board')
  vim.bo[buffer].bufhidden = 'wipe'
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].filetype = 'kifud-board'
end

local function show()
  local record = vim.api.nvim_get_current_win()
  vim.cmd('rightbelow vsplit')
  vim.api.nvim_win_set_buf(0, buffer)
  vim.wo.number = false
  vim.wo.relativenumber = false
  vim.wo.wrap = true
  vim.api.nvim_set_current_win(record)
end

--- Opens the board beside the current record and leaves the cursor where it is.
function M.open()
  local record = vim.api.nvim_get_current_buf()
  if not listening then
    listening = true
    follow.listen(redraw)
  end
  if not is_open() then
    create()
  end
  if vim.fn.bufwinid(buffer) == -1 then
    show()
  end
  redraw()
  follow.refresh(record)
end

--- Shows lines below the board; none takes them away.
function M.show_analysis(lines)
  analysis = lines
  redraw()
end

--- The buffer, or nil.
function M.buffer()
  return is_open() and buffer or nil
end

return M
