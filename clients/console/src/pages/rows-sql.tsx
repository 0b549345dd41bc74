import { type KeyboardEvent, useRef, useState } from 'react';
import { useChange } from '../graph/use-change.ts';
import { Card } from '../parts/card.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { SqlErrorNote, type SqlPlace } from '../parts/sql-error-note.tsx';
import { RunSqlDocument, type RunSqlMutation } from './rows.graphql.ts';
import { lossesOf } from './sql-losses.ts';

function runOnKey(event: KeyboardEvent<HTMLTextAreaElement>): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  event.currentTarget.form?.requestSubmit();
}

/** An editor for SQL, with the result of the last run. */
export function Sql({ projectId }: { readonly projectId: string }) {
  const run = useChange(RunSqlDocument);
  const editor = useRef<HTMLTextAreaElement>(null);
  const [ran, setRan] = useState('');
  const [result, setResult] = useState<RunSqlMutation['runSql']>(null);
  const [asked, setAsked] = useState<PendingSql>();

  const runNow = async (sql: string) => {
    setAsked(undefined);
    setRan(sql);
    // The result of the previous run does not belong to this one.
    setResult(null);
    const answer = await run.run({ project: projectId, sql });
    setResult(answer?.runSql ?? null);
  };
  const show = ({ offset }: SqlPlace) => {
    const end = ran.slice(offset).search(/\W|$/);
    editor.current?.focus();
    editor.current?.setSelectionRange(offset, offset + Math.max(1, end));
  };
  return (
    <Card title="SQL">
      <Form
        label="SQL"
        className="stack"
        send={(values) => {
          // PostgreSQL's error positions count the characters of the original text. FormData turns line breaks into
          // CRLF.
          const sql = String(values.get('sql')).replaceAll('\r\n', '\n');
          const losses = lossesOf(sql);
          if (losses.length > 0) setAsked({ sql, losses });
          else void runNow(sql);
          return false;
        }}
      >
        <Field
          label="Statements"
          hint="They run with the rights of the service key, all in one transaction. Ctrl and Enter runs them."
        >
          <textarea
            ref={editor}
            name="sql"
            className="code"
            rows={6}
            required
            spellCheck={false}
            onKeyDown={runOnKey}
          />
        </Field>
        <div>
          <button type="submit" className="main" disabled={run.busy}>
            Run
          </button>
        </div>
      </Form>
      <SqlErrorNote error={run.error} sql={ran} show={show} />
      {result !== null && (
        <>
          <p role="status" className="quiet">
            {result.rowCount === null ? 'Done.' : `Done: ${result.rowCount.toLocaleString()} rows.`}
          </p>
          {result.fields.length > 0 && (
            <DataTable label="Result" columns={result.fields.map(({ name }) => name)} rows={result.rows} />
          )}
        </>
      )}
      {asked !== undefined && (
        <AskToRun asked={asked} run={() => void runNow(asked.sql)} cancel={() => setAsked(undefined)} />
      )}
    </Card>
  );
}

interface PendingSql {
  readonly sql: string;
  readonly losses: readonly string[];
}

interface AskToRunProps {
  readonly asked: PendingSql;
  readonly run: () => void;
  readonly cancel: () => void;
}

function AskToRun({ asked: { losses }, run, cancel }: AskToRunProps) {
  return (
    <Dialog title="Run SQL that deletes or overwrites data?" close={cancel}>
      <ul className="losses">
        {losses.map((loss) => (
          <li key={loss}>{loss}</li>
        ))}
      </ul>
      <p>This cannot be undone.</p>
      <div className="row">
        {/* First element, so that it has the keyboard focus when the dialog opens. */}
        <button type="button" onClick={cancel}>
          Cancel
        </button>
        <button type="button" className="danger" onClick={run}>
          Run it
        </button>
      </div>
    </Dialog>
  );
}
