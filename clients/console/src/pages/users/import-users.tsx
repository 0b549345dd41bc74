import { useState } from 'react';
import { Badge, type Mood } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { Modal } from '../../design/modal.tsx';
import { Table } from '../../design/table.tsx';
import { TextArea } from '../../design/text-area.tsx';
import { useChange } from '../../graph/use-change.ts';
import { useKeptText } from '../../use-kept-text.ts';
import { readImport } from './read-import.ts';
import { ImportUsersDocument, type ImportUsersMutation } from './users.graphql.ts';

type Outcome = NonNullable<ImportUsersMutation['importProjectUsers']>;

const moods: Readonly<Record<string, Mood>> = { IMPORTED: 'good', UNCHANGED: 'plain', SKIPPED: 'warn' };

/** Rows that are shown of an import before it is sent. */
const previewed = 50;

interface ImportUsersProps {
  readonly projectId: string;
  readonly isOpen: boolean;
  readonly close: () => void;
}

/** Takes users over from a text of JSON or CSV, which is shown as it was understood before it is sent. */
export function ImportUsers({ projectId, isOpen, close }: ImportUsersProps) {
  const change = useChange(ImportUsersDocument);
  const [kept, keep] = useKeptText(`import.${projectId}`);
  const [outcome, setOutcome] = useState<Outcome>();
  const text = kept ?? '';
  const { users, fault } = readImport(text);
  const leave = () => {
    setOutcome(undefined);
    close();
  };
  const run = async () => {
    const done = (await change.run({ project: projectId, users: [...users] as never }))?.importProjectUsers;
    if (done == null) return;
    setOutcome(done);
    keep(undefined);
  };
  const foot =
    outcome === undefined ? (
      <>
        <Button onPress={leave}>Cancel</Button>
        <Button variant="primary" isPending={change.busy} isDisabled={fault !== undefined} onPress={() => void run()}>
          {users.length === 0 ? 'Import' : `Import ${users.length} ${users.length === 1 ? 'user' : 'users'}`}
        </Button>
      </>
    ) : (
      <Button variant="primary" onPress={leave}>
        Done
      </Button>
    );
  return (
    <Modal title="Import users" isOpen={isOpen} close={leave} kind="wide" foot={foot}>
      {outcome === undefined ? (
        <>
          <TextArea
            label="Users as JSON or CSV"
            hint="Ids and bcrypt hashes of passwords are kept. Nobody gets a mail."
            mono
            rows={6}
            value={text}
            onChange={(next) => keep(next === '' ? undefined : next)}
            placeholder={'id,email,encrypted_password,email_confirmed_at'}
            fault={text === '' ? undefined : fault}
          />
          <div>
            <input
              type="file"
              aria-label="Read a file"
              accept=".json,.csv,application/json,text/csv"
              onChange={({ target }) => void target.files?.[0]?.text().then(keep)}
            />
          </div>
          {users.length > 0 && (
            <Table
              label="Users as they were read"
              rows={users.slice(0, previewed)}
              keyOf={({ id }) => id}
              empty={undefined}
              columns={[
                { id: 'email', name: 'Address', grows: true, cell: ({ email }) => <bdi>{String(email ?? '')}</bdi> },
                {
                  id: 'password',
                  name: 'Password',
                  cell: ({ encryptedPassword: hash }) => (hash === undefined ? 'None' : 'Kept'),
                },
                {
                  id: 'confirmed',
                  name: 'Confirmed',
                  cell: ({ emailConfirmedAt: at }) => (at === undefined ? 'No' : 'Yes'),
                },
              ]}
            />
          )}
          {users.length > previewed && (
            <p className="quiet small">
              The first {previewed} of {users.length} users.
            </p>
          )}
          <ErrorNote error={change.error} labels={{ users: 'Users' }} />
        </>
      ) : (
        <>
          <p role="status">
            {outcome.imported} imported, {outcome.unchanged} unchanged, {outcome.skipped} skipped.
          </p>
          <Table
            label="Outcome of the import"
            rows={outcome.users}
            keyOf={({ userId }) => userId}
            empty={undefined}
            columns={[
              { id: 'email', name: 'Address', cell: ({ email, userId }) => <bdi>{email ?? userId}</bdi> },
              {
                id: 'status',
                name: 'Outcome',
                cell: ({ status }) => <Badge mood={moods[status] ?? 'plain'}>{status.toLowerCase()}</Badge>,
              },
              {
                id: 'message',
                name: 'Why',
                grows: true,
                cell: ({ message, leftOut }) =>
                  message ?? (leftOut.length === 0 ? '' : `Left out: ${leftOut.join(', ')}`),
              },
            ]}
          />
        </>
      )}
    </Modal>
  );
}
