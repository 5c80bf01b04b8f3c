-- The Neovim client in the real editor, against the built kifud. Run by run-nvim.sh.
-- Every board expected here is worked out on paper from capture.sgf.
local passed, failed = 0, 0

local function check(fine, what, detail)
  if fine then
    passed = passed + 1
    io.write('ok ', what, '\n')
  else
    failed = failed + 1
    io.write('NOT OK ', what, '\n', detail or '', '\n')
  end
end

local function board_text()
  local buffer = require('kifud.board').buffer()
  return buffer and table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n') or '(no board)'
end

--- Waits until the board buffer contains a text.
local function shows(what, text)
  local seen = vim.wait(20000, function()
    return board_text():find(text, 1, true) ~= nil
  end, 20)
  check(seen, what, 'expected:\n' .. text .. '\nfound:\n' .. board_text())
end

--- Puts the cursor where a text begins, as a person moving it would: with the event.
local function put_cursor(text)
  vim.fn.cursor(1, 1)
  assert(vim.fn.search('\\V' .. text, 'c') > 0, 'not in the record: ' .. text)
  vim.cmd('doautocmd CursorMoved')
end

--- Findings, hover and a fix with Neovim's own means, in faults.sgf.
local function findings()
  vim.cmd('edit ' .. vim.fn.fnameescape(assert(os.getenv('FAULTS'))))
  local function shown()
    local found = vim.tbl_map(function(one)
      return ('%d:%d-%d %s'):format(one.lnum + 1, one.col, one.end_col, one.message)
    end, vim.diagnostic.get(0))
    table.sort(found)
    return found
  end
  local function shows_findings(what, expected)
    local seen = vim.wait(20000, function()
      return vim.deep_equal(shown(), expected)
    end, 20)
    check(seen, what, vim.inspect(shown()))
  end
  -- Columns in bytes from 0, as Neovim counts: an emoji has four.
  local komi = '1:28-33 KM: "6,5" has a decimal comma; SGF writes a point: "6.5"'
  local ascii = '3:2-6 B: "zz" lies off the 5x5 board'
  local behind_emoji = '4:19-23 B: "yy" lies off the 5x5 board'
  shows_findings('the findings are shown, one of them behind emoji', { komi, ascii, behind_emoji })

  put_cursor('ba]')
  vim.lsp.buf.hover()
  local text = ''
  vim.wait(20000, function()
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(window).relative ~= '' then
        text = table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false), '\n')
      end
    end
    return text ~= ''
  end, 20)
  check(text:find(' 5 .(O). . . 5\n 4 . X . . . 4', 1, true), 'the hover has the board', text)

  -- The user chooses the fix for the komi among what is offered.
  vim.ui.select = function(items, options, choose)
    for index, item in ipairs(items) do
      if options.format_item(item):find('write a decimal point', 1, true) then
        return choose(item, index)
      end
    end
    check(false, 'a fix is offered', vim.inspect(items))
  end
  put_cursor('6,5')
  vim.lsp.buf.code_action()
  shows_findings('a fix is made, and its finding goes', { ascii, behind_emoji })
  local first = vim.api.nvim_buf_get_lines(0, 0, 1, false)[1]
  check(first == '(;GM[1]FF[4]CA[UTF-8]SZ[5]KM[6.5]GN[坏点]', 'it is the komi', first)

  put_cursor('yy]')
  vim.cmd('normal! cwcc')
  shows_findings('an edit takes the one behind emoji away', { ascii })
  put_cursor('zz]')
  vim.cmd('normal! cwaa')
  shows_findings('and another the last', {})
  vim.cmd('silent! write')
end

local function tests()
  vim.cmd('edit ' .. vim.fn.fnameescape(assert(os.getenv('RECORD'))))
  local record = vim.api.nvim_get_current_buf()
  check(vim.bo.filetype == 'sgf', 'a record has filetype sgf', vim.bo.filetype)
  local served = vim.wait(20000, function()
    return require('kifud.server').client(record) ~= nil
  end, 20)
  check(served, 'the daemon serves it')

  put_cursor(';B[aa]')
  vim.cmd('KifudBoard')
  shows('the board behind a comment with Chinese and emoji', table.concat({
    '   A B C D E',
    ' 5(●)○ · · · 5',
    ' 4 · ● · · · 4',
    ' 3 · · · · · 3',
    ' 2 · · · · · 2',
    ' 1 · · · · · 1',
    '   A B C D E',
    '',
    'Move 3, ○ to play, last ● A5',
    'Captures ● 0, ○ 0',
  }, '\n'))
  check(vim.api.nvim_get_current_buf() == record, 'the cursor stays in the record')
  check(#vim.api.nvim_tabpage_list_wins(0) == 2, 'the board has a window of its own')

  put_cursor('B[ca]')
  shows('it follows the cursor: B5 is taken', table.concat({
    ' 5 ● ·(●)· · 5',
    ' 4 · ● · · · 4',
    ' 3 · · · · · 3',
    ' 2 · · · · · 2',
    ' 1 · · · ○ · 1',
  }, '\n'))
  shows('captures and comment', 'Captures ● 1, ○ 0\n\n打吃已成，提去一子😀😀。')

  -- The edit stands behind emoji: a wrong column would cut the comment in two.
  put_cursor('dd])')
  vim.cmd('normal! cwcb')
  put_cursor('W[cb]')
  shows('an edit that is not saved', ' 5 ● · ● · · 5\n 4 · ●(○)· · 4')
  vim.cmd('silent undo')
  vim.cmd('doautocmd TextChanged')
  put_cursor('W[dd]')
  shows('and its undo', ' 4 · ● · · · 4\n 3 · · · · · 3\n 2 · · ·(○)· 2')

  vim.g.kifud = vim.tbl_extend('force', vim.g.kifud, { ascii = true })
  put_cursor('W[de]')
  shows('the board in ASCII', ' 5 X O . . . 5\n 4 . X . . . 4\n 3 . . . . . 3\n 2 . . . . . 2\n 1 . . .(O). 1')

  findings()

  vim.cmd('edit ' .. vim.fn.fnameescape(os.getenv('GAME')))
  local game = vim.api.nvim_get_current_buf()
  vim.wait(20000, function()
    return require('kifud.server').client(game) ~= nil
  end, 20)
  put_cursor('B[fd]')
  local names = require('kifud.analysis').engine_names()
  check(vim.deep_equal(names, { 'recorded', 'builtin' }), 'engines are completed by name', vim.inspect(names))
  vim.cmd('KifudAnalyze')
  shows('an engine is attached and thinks', 'recorded: Black ')
  put_cursor('B[ei]')
  shows('the board has moved on', 'last X E1')
  -- What the real engine thought best here, by the recording.
  shows('the analysis follows the cursor', 'Best G5 ')
  vim.cmd('KifudStop')
  local function text()
    return table.concat(vim.api.nvim_buf_get_lines(game, 0, -1, false), '\n')
  end
  local written = vim.wait(20000, function()
    return text():find(';B%[ei%]SBKV%[[%d.]+%]SBKS%[[-%d.]+%]') and text():find(';B%[fd%]SBKV%[[%d.]+%]SBKS%[[-%d.]+%]')
  end, 20)
  check(written, 'the values of both nodes are in the record', text())
end

local fine, problem = pcall(tests)
check(fine, 'the test came to its end', tostring(problem))
io.write(('%d passed, %d failed\n'):format(passed, failed))
vim.cmd(failed == 0 and 'qall!' or 'cquit 1')
