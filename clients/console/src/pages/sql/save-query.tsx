import { useState } from 'react';
import { Button } from '../../design/button.tsx';
import { CodeBlock } from '../../design/code.tsx';
import { TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Modal } from '../../design/modal.tsx';
import { announce } from '../../design/toast.tsx';
import { useChange } from '../../graph/use-change.ts';
import { useDraft } from '../../use-draft.ts';
import { SaveQueryDocument } from './sql.graphql.ts';
import type { SavedQuery } from './use-saved.ts';

interface SaveDialogProps {
  readonly project: string;
  readonly sql: string;
  /** The query whose name and description are edited; undefined for a new one. */
  readonly of: SavedQuery | undefined;
  readonly isOpen: boolean;
  readonly close: () => void;
  readonly saved: (query: SavedQuery) => void;
}

/** Asks for the name of a query, and saves it. */
export function SaveDialog({ project, sql, of, isOpen, close, saved }: SaveDialogProps) {
  const save = useChange(SaveQueryDocument);
  const draft = useDraft(`save-query ${project} ${of?.queryId ?? ''}`, {
    name: of?.name ?? '',
    description: of?.description ?? '',
  });
  return (
    <Modal title={of === undefined ? 'Save query' : 'Rename query'} isOpen={isOpen} close={close} kind="alert">
      <Form
        label="Query"
        submit="Save query"
        cancel={close}
        error={save.error}
        draft={draft}
        send={async () => {
          const { name, description } = draft.values;
          const named = { name, description: description.trim() || null };
          const kept = of === undefined ? { sql } : { sql: of.sql, query: of.queryId, version: of.version };
          const answer = await save.run({ project, ...named, ...kept });
          if (answer?.saveQuery == null) return false;
          announce(`Saved “${answer.saveQuery.name}”`);
          saved(answer.saveQuery);
          return true;
        }}
      >
        <TextField label="Name" isRequired maxLength={100} autoFocus {...draft.field('name')} />
        <TextField
          label="Description"
          maxLength={2_000}
          {...draft.field('description')}
          hint="Optional: when it is of use."
        />
      </Form>
    </Modal>
  );
}

interface ConflictProps {
  readonly theirs: SavedQuery;
  readonly isSaving: boolean;
  readonly takeTheirs: () => void;
  readonly overwrite: () => void;
  readonly saveAsNew: () => void;
}

/** Shown when a query was changed by others since this text began. Nothing is lost before the user decides. */
export function Conflict({ theirs, isSaving, takeTheirs, overwrite, saveAsNew }: ConflictProps) {
  const [seen, setSeen] = useState(false);
  return (
    <div className="sql-conflict" role="alert">
      <p>
        <strong>This query was changed by others</strong> since you began to edit it. Your text is kept here.
      </p>
      <div className="sql-conflict-actions">
        <Button small onPress={() => setSeen(true)}>
          Show their version
        </Button>
        <Button small isPending={isSaving} onPress={overwrite}>
          Save mine over it
        </Button>
        <Button small onPress={saveAsNew}>
          Save mine as a new query
        </Button>
      </div>
      <Modal
        title={`Their version of “${theirs.name}”`}
        isOpen={seen}
        close={() => setSeen(false)}
        kind="wide"
        foot={
          <>
            <Button onPress={() => setSeen(false)}>Keep mine</Button>
            <Button
              variant="danger"
              onPress={() => {
                setSeen(false);
                takeTheirs();
              }}
            >
              Discard mine
            </Button>
          </>
        }
      >
        <CodeBlock title="SQL" code={theirs.sql} />
      </Modal>
    </div>
  );
}
