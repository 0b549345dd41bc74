import { functionLogs } from '../../db/schema/functions.ts';
import { pick, type RowOf } from '../../db/sql.ts';
import { lineFeed } from '../../kernel/feeds/line-feed.ts';

export const lineColumns = pick(
  functionLogs,
  'position',
  'function',
  'releaseId',
  'requestId',
  'stream',
  'message',
  'at',
);

/** A line that a function printed. */
export type FunctionLine = RowOf<typeof lineColumns>;

/** What the functions of a project print, in one order. */
export const logFeed = lineFeed({
  table: functionLogs,
  columns: lineColumns,
  kind: 'function_logs',
  cursorPrefix: 'lcr_',
  statementName: 'functions.slice',
});
