import { Bookmark, CircleAlert, CircleCheck, CircleHelp, History } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../design/button.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { SearchField } from '../../design/field.tsx';
import { Skeleton, State } from '../../design/status.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { When } from '../../design/when.tsx';
import type { Envelope } from '../../graph/envelope.ts';
import { useSearch } from '../../search.ts';
import { useStore } from '../../store.ts';
import { forgetHistory, type HistoryEntry, historyOf } from './history.ts';
import type { SavedQuery } from './use-saved.ts';

interface SideListsProps {
  readonly project: string;
  readonly saved: readonly SavedQuery[] | undefined;
  readonly error: Envelope | undefined;
  readonly again: () => void;
  /** The query that is shown. */
  readonly selected: string;
  readonly open: (query: SavedQuery) => void;
  /** Shows SQL in a new draft. */
  readonly reuse: (sql: string) => void;
}

/** The queries of the project, and what this browser has run. */
export function SideLists(props: SideListsProps) {
  const [list, setList] = useSearch('list', 'saved');
  return (
    <Tabs
      label="Queries"
      selected={list === 'history' ? 'history' : 'saved'}
      select={(id) => setList(id, { replace: true })}
      pages={[
        { id: 'saved', name: 'Saved', icon: Bookmark, content: <SavedList {...props} /> },
        { id: 'history', name: 'History', icon: History, content: <HistoryList {...props} /> },
      ]}
    />
  );
}

const has = (text: string, typed: string) => text.toLowerCase().includes(typed.trim().toLowerCase());

function SavedList({ saved, error, again, selected, open }: SideListsProps) {
  const [typed, setTyped] = useState('');
  if (saved === undefined) return error === undefined ? <Skeleton /> : <ErrorNote error={error} retry={again} />;
  if (saved.length === 0)
    return (
      <State icon={Bookmark} title="No saved queries">
        Save a query, and everybody who may run SQL here finds it.
      </State>
    );
  const found = saved.filter(({ name, description, sql }) => has(`${name} ${description ?? ''} ${sql}`, typed));
  return (
    <div className="sql-list">
      <SearchField label="Find a saved query" value={typed} onChange={setTyped} />
      <ul>
        {found.map((query) => (
          <li key={query.queryId}>
            <button
              type="button"
              className="sql-entry"
              aria-current={query.queryId === selected ? 'true' : undefined}
              onClick={() => open(query)}
            >
              <bdi className="sql-entry-name">{query.name}</bdi>
              {query.description !== null && <bdi className="sql-entry-about">{query.description}</bdi>}
            </button>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className="quiet small">No saved query has this text.</p>}
    </div>
  );
}

const outcomes = {
  done: { icon: CircleCheck, word: 'Done' },
  refused: { icon: CircleAlert, word: 'Refused' },
  unknown: { icon: CircleHelp, word: 'Not known' },
} as const;

function HistoryList({ project, reuse }: SideListsProps) {
  const entries = useStore(historyOf(project));
  const [typed, setTyped] = useState('');
  if (entries.length === 0)
    return (
      <State icon={History} title="No history">
        The last hundred texts that you run are listed here. They stay in this browser.
      </State>
    );
  const found = entries.filter(({ sql }) => has(sql, typed));
  return (
    <div className="sql-list">
      <SearchField label="Find in the history" value={typed} onChange={setTyped} />
      <ul>
        {found.map((entry) => (
          <li key={entry.at + entry.sql}>
            <Entry entry={entry} reuse={reuse} />
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className="quiet small">Nothing that was run has this text.</p>}
      <Button small variant="quiet" onPress={() => forgetHistory(project)}>
        Clear history
      </Button>
    </div>
  );
}

function Entry({ entry, reuse }: { readonly entry: HistoryEntry; readonly reuse: (sql: string) => void }) {
  const { icon: Icon, word } = outcomes[entry.outcome];
  return (
    <button type="button" className="sql-entry" onClick={() => reuse(entry.sql)}>
      <code className="sql-entry-name">{entry.sql.slice(0, 120)}</code>
      <span className={`sql-entry-about ${entry.outcome}`}>
        <Icon className="icon" aria-hidden="true" /> {word} <When at={entry.at} />
        {entry.how !== undefined && ` ${entry.how}`}
      </span>
    </button>
  );
}
