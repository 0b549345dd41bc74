import { parseInput, type Spelling } from '../parse-input.ts';
import type { Run } from '../run.ts';

/** Reads the input by the operation's schema, and with it the project that it names. @throws VALIDATION_FAILED */
export function readInput(run: Run, raw: object, spelling: Spelling): void {
  run.input = parseInput(run.op, raw, spelling);
  run.projectId = run.op.access.addressed?.(run.input);
}
