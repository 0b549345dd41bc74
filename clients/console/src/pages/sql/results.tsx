import { CloudOff, Terminal } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Badge } from '../../design/badge.tsx';
import { State } from '../../design/status.tsx';
import { type TabPage, Tabs } from '../../design/tabs.tsx';
import type { LinkState } from '../../graph/link.ts';
import { session } from '../../session/session.ts';
import { createStore, useStore } from '../../store.ts';
import { planOf } from './plan.ts';
import { PlanView } from './plan-tree.tsx';
import { ResultGrid } from './result-grid.tsx';
import { type SqlPosition, sqlPosition } from './sql-position.ts';
import { SqlRefusal } from './sql-refusal.tsx';
import type { Run, SqlResult } from './use-runner.ts';

const noLink = createStore<LinkState>('open');
const fine = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });

interface ResultsProps {
  readonly run: Run | undefined;
  /** The text of the editor, which may have changed since. */
  readonly text: string;
  readonly show: (place: SqlPosition) => void;
}

/** The place of the mistake that a run was refused for, in the text of the editor. */
export function placeOfRun({ error, sql, prefix, from }: Run, text: string): SqlPosition | undefined {
  const position = error?.details.position;
  if (typeof position !== 'number') return undefined;
  const inSql = sqlPosition(sql, position - prefix.length);
  // In a text that was edited since, the mistake is elsewhere.
  if (inSql === undefined || text.slice(from, from + sql.length) !== sql) return undefined;
  return sqlPosition(text, Array.from(text.slice(0, from + inSql.offset)).length + 1);
}

/** What the last run of a tab came to. */
export function Results({ run, text, show }: ResultsProps) {
  if (run === undefined)
    return (
      <State icon={Terminal} title="Nothing was run yet">
        Press Ctrl+Enter to run all statements, or the selected ones, in one transaction.
      </State>
    );
  if (run.state === 'running') return <Running />;
  if (run.error !== undefined) return <SqlRefusal error={run.error} place={placeOfRun(run, text)} show={show} />;
  return <Answered key={run.results.length} run={run} />;
}

function Running() {
  const current = session.get();
  const link = useStore(current.state === 'in' ? current.link.state : noLink);
  if (link === 'open')
    return (
      <p role="status" className="sql-running">
        <span className="spinner" aria-hidden="true" /> Running…
      </p>
    );
  return (
    <div role="status">
      <State icon={CloudOff} title="The gateway is away">
        It is not known yet whether the statements ran. They are sent again under the same key when the gateway is back,
        and run once. Leave this page open.
      </State>
    </div>
  );
}

const rowWords = (count: number) => `${count.toLocaleString()} ${count === 1 ? 'row' : 'rows'}`;

const wordsOf = ({ command, rowCount, ms }: SqlResult) =>
  `${command.replace(/ [\d ]+$/, '')}${rowCount === null ? '' : `, ${rowWords(rowCount)}`}, ${fine.format(ms)} ms`;

function Answered({ run }: { readonly run: Run }) {
  const { results, rollback, ms, how, prefix } = run;
  const lastWithRows = results.findLastIndex(({ fields }) => fields.length > 0);
  const [tab, setTab] = useState(String(lastWithRows < 0 ? results.length - 1 : lastWithRows));
  const pages = results.map((result, at): TabPage => {
    return {
      id: String(at),
      name: `${at + 1}: ${result.command}`,
      content: <Told result={result} at={at} />,
    };
  });
  const [only] = results;
  const words =
    results.length === 1
      ? wordsOf(only!)
      : `${results.length.toLocaleString()} statements, ${fine.format(ms)} ms round trip`;
  const title = prefix !== '' ? 'Plan' : rollback ? 'Tried, and rolled back' : 'Done';
  const said = (
    <p role="status" className="sql-said">
      <strong>{title}</strong>
      {prefix === '' && <span className="quiet">{words}</span>}
      {how !== undefined && <Badge mood="accent">{how}</Badge>}
    </p>
  );
  if (results.length === 1) return <One result={only!} at={0} said={said} />;
  return (
    <div className="sql-answered">
      {said}
      {results.length > 0 && <Tabs label="Results" pages={pages} selected={tab} select={setTab} />}
    </div>
  );
}

/** One result among several, with its own words. */
const Told = ({ result, at }: Omit<OneProps, 'said'>) => (
  <One result={result} at={at} said={<span className="quiet small">{wordsOf(result)}</span>} />
);

interface OneProps {
  readonly result: SqlResult;
  readonly at: number;
  readonly said: ReactNode;
}

function One({ result, at, said }: OneProps) {
  const first = result.fields[0]?.name;
  const raw = first === 'QUERY PLAN' ? result.rows[0]?.[first] : undefined;
  const plan = planOf(raw);
  if (plan === undefined) return <ResultGrid result={result} name={`result-${at + 1}`} said={said} />;
  return (
    <div className="sql-answered">
      {said}
      <PlanView plan={plan} raw={raw} />
    </div>
  );
}
