import { keep, ownName, recall } from '../../kept.ts';
import { session } from '../../session/session.ts';
import { createStore, type Store } from '../../store.ts';

/** A text of SQL that was run from this browser. */
export interface HistoryEntry {
  readonly sql: string;
  /** When, in ISO 8601. */
  readonly at: string;
  readonly outcome: 'done' | 'refused' | 'unknown';
  /** How it was run, where that was not as the owner: a role, a trial. */
  readonly how?: string;
}

/** Entries of one project, and how long a text may be that is kept, in characters. */
const entriesMax = 100;
const sqlMax = 20_000;

const nameOf = (project: string) => ownName(`sql-history ${project}`);
const stores = new Map<string, Store<readonly HistoryEntry[]>>();

// The next member of this tab has a history of their own.
session.listen(() => {
  const current = session.get();
  if (current.state === 'out' && current.waiting === undefined) stores.clear();
});

/** What this browser has run in a project, newest first. It stays in this browser. */
export function historyOf(project: string): Store<readonly HistoryEntry[]> {
  let store = stores.get(project);
  if (store === undefined) stores.set(project, (store = createStore(read(project))));
  return store;
}

function read(project: string): readonly HistoryEntry[] {
  try {
    const kept: unknown = JSON.parse(recall(nameOf(project)) ?? '[]');
    return Array.isArray(kept) ? kept.filter((one) => typeof one?.sql === 'string' && typeof one.at === 'string') : [];
  } catch {
    return [];
  }
}

/** Adds an entry. The same text again moves to the top; a very long one is not kept. */
export function remember(project: string, entry: HistoryEntry): void {
  if (entry.sql.length > sqlMax) return;
  // Another tab may have run something since.
  const others = read(project).filter(({ sql }) => sql !== entry.sql);
  const entries = [entry, ...others].slice(0, entriesMax);
  keep(nameOf(project), JSON.stringify(entries));
  historyOf(project).set(entries);
}

export function forgetHistory(project: string): void {
  keep(nameOf(project), null);
  historyOf(project).set([]);
}
