import { Failure } from '../failure.ts';
import { failedAt } from './failed-at.ts';
import { bytesInRequest, type ProjectEndpoint, requestBytes } from './project-endpoint.ts';
import type { DumpStatement } from './scan-statement.ts';
import { nothingAround } from './silent-triggers.ts';

/** Statements of one request. */
const statementsMax = 50;

/** Bodies of functions name tables that come later in a dump; pg_dump sets the same. */
const unchecked = 'set check_function_bodies = false;';

/** Runs statements in their order, several in one transaction. */
export class Statements {
  readonly #endpoint: ProjectEndpoint;
  #waiting: DumpStatement[] = [];
  #bytes = 0;
  #around = nothingAround;

  constructor(endpoint: ProjectEndpoint) {
    this.#endpoint = endpoint;
  }

  /**
   * @param alone it may take its time, which each request has of its own
   * @param around what its transaction begins and ends with; the same object for statements that may share one
   */
  async add(statement: DumpStatement, alone: boolean, around = nothingAround): Promise<void> {
    const bytes = bytesInRequest(statement.text);
    const isFull = this.#waiting.length === statementsMax || this.#bytes + bytes > requestBytes;
    if (alone || isFull || around !== this.#around) await this.end();
    this.#around = around;
    this.#waiting.push(statement);
    this.#bytes += bytes;
    if (alone) await this.end();
  }

  /** Runs what waits. */
  async end(): Promise<void> {
    const statements = this.#waiting;
    this.#waiting = [];
    this.#bytes = 0;
    if (statements.length === 0) return;
    const before = unchecked + this.#around.before;
    const { after } = this.#around;
    if (statements.length > 1) {
      const together = before + statements.map(({ text }) => text).join(';\n') + after;
      try {
        await failedAt(statements[0]!.line, () => this.#endpoint.sql(together));
        return;
      } catch (error) {
        // Nothing of it is done: one by one, so that it is known which of them it was.
        if (!(error instanceof Failure) || !refusals.has(error.envelope.code)) throw error;
      }
    }
    for (const { text, line } of statements)
      await failedAt(line, () => this.#endpoint.sql(before + text + after), { text, before: before.length });
  }
}

const refusals: ReadonlySet<string> = new Set(['SQL_ERROR', 'FORBIDDEN', 'VALIDATION_FAILED', 'RESULT_TOO_LARGE']);
