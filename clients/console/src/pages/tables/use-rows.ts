import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { changes } from '../../graph/changes.ts';
import type { Envelope } from '../../graph/envelope.ts';
import { useStore } from '../../store.ts';
import { pageAddress, pageSize, type Wanted } from './page-address.ts';
import { type RowsApi, readFirstRows, readRows, type TextRow } from './rows-api.ts';

/** Rows that are read again at once when the table has changed. */
const refreshedMost = 1_000;
/** The pause after an answer that did not come, in milliseconds. */
const retryMs = 2_000;

export interface Rows {
  /** The first rows, as far as they are loaded; undefined before the first answer. */
  readonly rows: readonly TextRow[] | undefined;
  /** All rows there are: exact once the last one is loaded, before that an estimate; undefined when unknown. */
  readonly total: { readonly count: number; readonly isExact: boolean } | undefined;
  readonly error: Envelope | undefined;
  /** Whether there are changes that the loaded rows do not show, since too many are loaded. */
  readonly isStale: boolean;
  /** Keys of rows that came since the first answer. */
  readonly fresh: ReadonlySet<string>;
  /** Loads the next rows when these come in sight. */
  readonly load: (range: { readonly to: number }) => void;
  /** Reads the loaded rows again: the table has changed. */
  readonly again: () => void;
  /** Shows a new value of a loaded row, before the rows are read again. */
  readonly patch: (row: TextRow, values: TextRow) => void;
  /** Reads the first rows anew. */
  readonly restart: () => void;
}

interface Loaded {
  readonly of: string;
  readonly rows: readonly TextRow[];
  readonly ended: boolean;
  readonly fresh: ReadonlySet<string>;
}

/** The rows of a table, page by page as they are scrolled to. Each page begins behind the last row of the one before. */
export function useRows(
  api: RowsApi,
  table: string,
  wanted: Wanted,
  keyOf: (row: TextRow, at: number) => string,
): Rows {
  const address = pageAddress(api, table, wanted, undefined);
  const of = `${address} ${api.apikey}`;
  const [loaded, setLoaded] = useState<Loaded>();
  const [estimate, setEstimate] = useState<number>();
  const [error, setError] = useState<Envelope>();
  const [isStale, setStale] = useState(false);
  const [times, setTimes] = useState(0);
  const current = loaded?.of === of ? loaded : undefined;
  const running = useRef<AbortController>(undefined);

  /** Runs one request at a time: a new one takes the place of the one before. */
  const run = async (read: (signal: AbortSignal) => Promise<void>) => {
    running.current?.abort();
    const control = new AbortController();
    running.current = control;
    try {
      await read(control.signal);
      if (!control.signal.aborted) setError(undefined);
    } catch (refused) {
      if (control.signal.aborted) return;
      setError(refused as Envelope);
      // The gateway may be away for a moment.
      if ((refused as Envelope).code === 'NO_ANSWER')
        setTimeout(() => control.signal.aborted || setTimes((count) => count + 1), retryMs);
    } finally {
      if (running.current === control) running.current = undefined;
    }
  };

  const begin = useEffectEvent(() => {
    setStale(false);
    void run(async (signal) => {
      const { rows, estimate: guessed } = await readFirstRows(address, api, signal);
      setEstimate(guessed);
      setLoaded({ of, rows, ended: rows.length < pageSize, fresh: new Set() });
    });
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: `times` asks for the rows anew.
  useEffect(() => {
    begin();
    return () => running.current?.abort();
  }, [of, times]);

  const load = ({ to }: { readonly to: number }) => {
    if (current === undefined || current.ended || running.current !== undefined) return;
    if (to < current.rows.length - pageSize / 2) return;
    const { rows } = current;
    void run(async (signal) => {
      const next = await readRows(pageAddress(api, table, wanted, rows.at(-1), { skip: rows.length }), api, signal);
      setLoaded({ ...current, rows: [...rows, ...next], ended: next.length < pageSize });
    });
  };

  const again = () => {
    if (current === undefined) return setTimes((count) => count + 1);
    const { rows, fresh } = current;
    if (rows.length > refreshedMost) return setStale(true);
    const limit = Math.max(pageSize, Math.ceil(rows.length / pageSize) * pageSize);
    void run(async (signal) => {
      const next = await readRows(pageAddress(api, table, wanted, undefined, { limit }), api, signal);
      const known = new Set(rows.map(keyOf));
      const lastKnown = current.ended ? next.length : rows.length;
      const came = next
        .slice(0, lastKnown)
        .map(keyOf)
        .filter((key) => !known.has(key));
      setLoaded({ of, rows: next, ended: next.length < limit, fresh: new Set([...fresh, ...came]) });
    });
  };

  // A change that this page made, such as the manifest, may let other rows be seen.
  const changed = useStore(changes);
  const seen = useRef(changed);
  const onChange = useEffectEvent(again);
  useEffect(() => {
    if (seen.current !== changed) onChange();
    seen.current = changed;
  }, [changed]);

  const count = current?.ended === true ? current.rows.length : estimate;
  return {
    // In another order or with other filters, the rows stay until the others are there: the grid keeps the focus. The
    // database may refuse these, and then no rows are theirs.
    rows: (current ?? (error === undefined || error.code === 'NO_ANSWER' ? loaded : undefined))?.rows,
    total:
      current === undefined || count === undefined
        ? undefined
        : { count: Math.max(count, current.rows.length), isExact: current.ended },
    error,
    isStale,
    fresh: current?.fresh ?? none,
    load,
    again,
    patch: (row, values) =>
      setLoaded((before) =>
        before === undefined
          ? before
          : {
              ...before,
              // The rows may have been read again since this one was seen.
              rows: before.rows.map((one, at) => (keyOf(one, at) === keyOf(row, at) ? { ...one, ...values } : one)),
            },
      ),
    restart: () => setTimes((time) => time + 1),
  };
}

const none: ReadonlySet<string> = new Set();
