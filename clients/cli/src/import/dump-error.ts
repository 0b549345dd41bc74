import { type Failure, local } from '../failure.ts';

/** A dump cannot be read beyond a line. */
export const badDump = (line: number, message: string, hint?: string): Failure =>
  local('BAD_DUMP', `Line ${line}: ${message}`, { details: { line }, ...(hint === undefined ? {} : { hint }) });
