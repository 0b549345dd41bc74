import { ListTree, Play } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../design/button.tsx';
import { Editor } from '../../design/editor.tsx';
import { Menu } from '../../design/menu.tsx';
import { useCommands } from '../../frame/commands.ts';
import { commandKey } from '../../frame/shortcuts.ts';
import { AskToRun } from './ask-to-run.tsx';
import { CallerChoice, callerInput, type Manner, mannerWords } from './caller-choice.tsx';
import { lossesOf, statementCount } from './losses.ts';
import { placeOfRun, Results } from './results.tsx';
import type { SqlPosition } from './sql-position.ts';
import type { Run, Wanted } from './use-runner.ts';

const prefixes = {
  run: '',
  explain: 'explain (format json) ',
  analyse: 'explain (analyze, buffers, format json) ',
} as const;
type Kind = keyof typeof prefixes;

interface WorkspaceProps {
  readonly sql: string;
  readonly setSql: (sql: string) => void;
  readonly tables: Readonly<Record<string, readonly string[]>>;
  readonly manner: Manner;
  readonly last: Run | undefined;
  /** Whether something runs, in this tab or in another. */
  readonly isBusy: boolean;
  readonly run: (wanted: Wanted) => void;
}

/** An editor with its last result. */
export function Workspace({ sql, setSql, tables, manner, last, isBusy, run }: WorkspaceProps) {
  const selection = useRef({ text: '', from: 0 });
  const [asked, setAsked] = useState<{ readonly wanted: Wanted; readonly losses: readonly string[] }>();
  const [fault, setFault] = useState<string>();
  const [reveal, setReveal] = useState<{ readonly at: number }>();
  const place = last === undefined ? undefined : placeOfRun(last, sql);
  const faults = place === undefined ? [] : [{ from: place.offset, message: last!.error!.message }];
  // A press of the button takes the focus from the editor, and its selection stays.
  const start = (kind: Kind, selected = selection.current.text, from = selection.current.from) => {
    if (isBusy) return;
    const part = selected.trim() === '' ? { text: sql, from: 0 } : { text: selected, from };
    if (part.text.trim() === '') return setFault('Write a statement first.');
    if (kind !== 'run' && statementCount(part.text) !== 1) return setFault('Select the one statement to explain.');
    if (manner.caller === 'authenticated' && manner.user.trim() === '')
      return setFault('Name the user by mail address or id.');
    setFault(undefined);
    // To analyse a change runs it: nothing of it is kept.
    const rollback = manner.rollback || kind !== 'run';
    const wanted: Wanted = {
      sql: part.text,
      from: part.from,
      prefix: prefixes[kind],
      rollback,
      as: callerInput(manner),
      how: mannerWords({ ...manner, rollback: manner.rollback && kind === 'run' }),
    };
    const losses = rollback ? [] : lossesOf(part.text);
    if (losses.length > 0) setAsked({ wanted, losses });
    else run(wanted);
  };
  useEffect(() => setFault(undefined), []);
  useCommands([
    { id: 'sql run', name: 'Run this SQL', icon: Play, keys: `${commandKey}Enter`, act: () => start('run') },
    { id: 'sql explain', name: 'Explain this SQL', icon: ListTree, words: 'plan', act: () => start('explain') },
  ]);
  const show = ({ offset }: SqlPosition) => setReveal({ at: offset });
  return (
    <div className="sql-workspace">
      <div className="sql-editor">
        <Editor
          label="SQL"
          language="sql"
          value={sql}
          onChange={setSql}
          onRun={(selected, from) => start('run', selected, from)}
          onSelect={(text, from) => {
            selection.current = { text, from };
          }}
          tables={tables}
          faults={faults}
          reveal={reveal}
          placeholder="select * from …"
          lines={10}
        />
      </div>
      <div className="sql-bar">
        <CallerChoice manner={manner} />
        <div className="sql-run">
          <Menu
            label="Explain"
            groups={[
              {
                entries: [
                  {
                    id: 'explain',
                    name: 'Explain',
                    about: 'The plan, without running it',
                    act: () => start('explain'),
                  },
                  {
                    id: 'analyse',
                    name: 'Explain analyze',
                    about: 'Runs it, measures each step and rolls back',
                    act: () => start('analyse'),
                  },
                ],
              },
            ]}
          >
            <Button icon={ListTree}>Explain</Button>
          </Menu>
          <Button variant="primary" icon={Play} isPending={isBusy} onPress={() => start('run')}>
            Run
          </Button>
        </div>
      </div>
      {fault !== undefined && (
        <p className="fault" role="alert">
          {fault}
        </p>
      )}
      <section className="sql-results" aria-label="Result">
        <Results run={last} text={sql} show={show} />
      </section>
      <AskToRun
        losses={asked?.losses ?? []}
        cancel={() => setAsked(undefined)}
        run={() => {
          setAsked(undefined);
          if (asked !== undefined) run(asked.wanted);
        }}
      />
    </div>
  );
}
