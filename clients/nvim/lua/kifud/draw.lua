--- A board as lines of text. Knows nothing of buffers and windows.
local M = {}

local letters = 'ABCDEFGHJKLMNOPQRSTUVWXYZ'

--- A column's name, counted from 1: I is skipped, after Z come AA, AB and so on.
local function column(index)
  local behind, place = math.floor((index - 1) / #letters), (index - 1) % #letters + 1
  return letters:sub(behind, behind) .. letters:sub(place, place)
end

local function marks(ascii)
  if ascii then
    return { X = 'X', O = 'O', B = 'X', W = 'O', ['.'] = '.' }
  end
  return { X = '●', O = '○', B = '●', W = '○', ['.'] = '·' }
end

--- One row, from the left edge. The last move stands in brackets.
local function row(stones, number, last, mark)
  local out = {}
  for x = 1, #stones do
    local gap = ' '
    if column(x) .. number == last then
      gap = '('
    elseif x > 1 and column(x - 1) .. number == last then
      gap = ')'
    end
    out[x] = gap .. mark[stones:sub(x, x)]
  end
  local close = column(#stones) .. number == last and ')' or ' '
  return ('%2d%s%s%d'):format(number, table.concat(out), close, number)
end

local function header(width)
  local names = {}
  for x = 1, width do
    names[x] = ('%-2s'):format(column(x))
  end
  return ('   ' .. table.concat(names):gsub(' +$', ''))
end

local function status(board, mark)
  local lines = { ('Move %d, %s to play'):format(board.moveNumber, mark[board.toPlay]) }
  if board.lastMove then
    lines[1] = ('%s, last %s %s'):format(lines[1], mark[board.lastMove.color], board.lastMove.vertex)
  end
  lines[2] = ('Captures %s %d, %s %d'):format(mark.B, board.captures.B, mark.W, board.captures.W)
  if board.ko then
    lines[#lines + 1] = 'Ko at ' .. board.ko
  end
  return lines
end

--- The lines of an answer to `record/board`.
function M.board(board, ascii)
  local mark = marks(ascii)
  local height, width = #board.stones, #board.stones[1]
  local last = board.lastMove and board.lastMove.vertex
  local lines = { header(width) }
  for y, stones in ipairs(board.stones) do
    lines[#lines + 1] = row(stones, height - y + 1, last, mark)
  end
  lines[#lines + 1] = header(width)
  lines[#lines + 1] = ''
  vim.list_extend(lines, status(board, mark))
  if board.comment then
    lines[#lines + 1] = ''
    vim.list_extend(lines, vim.split(board.comment, '\r?\n'))
  end
  return lines
end

--- The lines of an event of `analysis/update`.
function M.analysis(engine, event)
  if event.state == 'started' then
    return { engine .. ' is thinking' }
  end
  if not event.black then
    return { ('%s: %s'):format(engine, event.reason or event.state) }
  end
  local head = ('%s: Black %.1f %%'):format(engine, event.black.winrate)
  local lead = event.black.scoreLead
  if lead then
    head = ('%s, %s+%.1f'):format(head, lead < 0 and 'W' or 'B', math.abs(lead))
  end
  local lines = { ('%s, %d visits%s'):format(head, event.visits or 0, event.state == 'ended' and ', ended' or '') }
  local best = event.moves and event.moves[1]
  if best then
    lines[2] = 'Best ' .. table.concat(best.pv, ' ')
  end
  return lines
end

return M
