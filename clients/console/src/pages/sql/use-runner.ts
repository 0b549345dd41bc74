import { useRef, useState } from 'react';
import { useClient } from 'urql';
import { somethingChanged } from '../../graph/changes.ts';
import { type Envelope, envelopeOf, isUnknown } from '../../graph/envelope.ts';
import { sendChange, tookPlace } from '../../graph/send-change.ts';
import { remember } from './history.ts';
import type { SqlCallerInput } from './sql.graphql.ts';
import { RunStatementsDocument, type RunStatementsMutation } from './sql.graphql.ts';

export type SqlResult = NonNullable<NonNullable<RunStatementsMutation['runSql']>['results']>[number];

/** What is to be run, and how. */
export interface Wanted {
  readonly sql: string;
  /** Where the SQL begins in the text of the editor, in UTF-16 units. */
  readonly from: number;
  /** Put before the SQL, to explain it. */
  readonly prefix: string;
  readonly rollback: boolean;
  readonly as: SqlCallerInput | undefined;
  /** How it is run, in words; undefined for the usual way. */
  readonly how: string | undefined;
}

/** A run, from the press of the button on. */
export interface Run extends Wanted {
  readonly state: 'running' | 'done' | 'refused';
  readonly results: readonly SqlResult[];
  readonly error: Envelope | undefined;
  /** From the press to the answer, in milliseconds. */
  readonly ms: number;
}

/**
 * Runs SQL, one text at a time, and keeps the last run of each tab. Each run has an idempotency key: when the connection
 * is lost, the link sends it again under that key, and the gateway runs it once.
 */
export function useRunner(project: string) {
  const client = useClient();
  const [runs, setRuns] = useState<Readonly<Record<string, Run>>>({});
  const [runningIn, setRunningIn] = useState<string>();
  // A second press may come before the next render.
  const isRunning = useRef(false);
  const run = async (tab: string, wanted: Wanted) => {
    if (isRunning.current) return;
    isRunning.current = true;
    setRunningIn(tab);
    const keep = (more: Partial<Run>) =>
      setRuns((all) => ({
        ...all,
        [tab]: { ...wanted, state: 'running', results: [], error: undefined, ms: 0, ...more },
      }));
    keep({});
    const began = performance.now();
    const { sql, prefix, rollback, as, how } = wanted;
    const input = { project, sql: prefix + sql, each: true, rollback, ...(as === undefined ? {} : { as }) };
    try {
      const sent = await sendChange(client, RunStatementsDocument, {
        input: { ...input, idempotencyKey: crypto.randomUUID() },
      });
      const ms = performance.now() - began;
      const isDone = tookPlace(sent);
      const error = isDone ? undefined : envelopeOf(sent.error);
      keep(isDone ? { state: 'done', results: sent.data?.runSql?.results ?? [], ms } : { state: 'refused', error, ms });
      const outcome = error === undefined ? 'done' : isUnknown(error) ? 'unknown' : 'refused';
      remember(project, { sql, at: new Date().toISOString(), outcome, ...(how === undefined ? {} : { how }) });
      if (isDone && !rollback) somethingChanged();
    } finally {
      isRunning.current = false;
      setRunningIn(undefined);
    }
  };
  return {
    run,
    runs,
    runningIn,
    /** Has the run of a draft stay with the query that it was saved as. */
    move: (from: string, to: string) =>
      setRuns(({ [from]: moved, ...others }) => (moved ? { ...others, [to]: moved } : others)),
  };
}
