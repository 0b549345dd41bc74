import { useState } from 'react';
import { Select } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Modal } from '../../design/modal.tsx';
import { announce } from '../../design/toast.tsx';
import { useChange } from '../../graph/use-change.ts';
import { ExportProjectDocument } from './archives.graphql.ts';

interface CreateArchiveProps {
  readonly project: string;
  readonly close: () => void;
}

const users = [
  { id: 'STUBS', name: 'Their ids alone' },
  { id: 'NONE', name: 'Leave users out' },
];

const moments = [
  { id: 'PAUSE_WRITES', name: 'One moment of the project' },
  { id: 'CLOUD_WRITE_PAUSE_V1', name: 'The same, as other platforms name it' },
];

/** The dialog that begins an export. */
export function CreateArchive({ project, close }: CreateArchiveProps) {
  const begin = useChange(ExportProjectDocument);
  const [auth, setAuth] = useState('STUBS');
  const [consistency, setConsistency] = useState('PAUSE_WRITES');
  return (
    <Modal title="Export the project" isOpen close={close}>
      <Form
        label="Archive"
        submit="Export"
        cancel={close}
        error={begin.error}
        send={async () => {
          const answer = await begin.run({
            project,
            auth: auth === 'NONE' ? 'NONE' : 'STUBS',
            consistency: consistency === 'PAUSE_WRITES' ? 'PAUSE_WRITES' : 'CLOUD_WRITE_PAUSE_V1',
          });
          if (answer === undefined) return false;
          announce('The archive is being made.');
          close();
          return true;
        }}
      >
        <p>
          The archive has the schema, the rows, files, functions and the live release. It has no secrets, passwords,
          passkeys and logs.
        </p>
        <Select label="Users" options={users} value={auth} onChange={setAuth} autoFocus />
        <p className="quiet small">
          {auth === 'STUBS'
            ? 'Rows that name a user still do. Nobody can sign in by such an id until the user is made anew.'
            : 'Rows that name a user name nobody where they arrive.'}
        </p>
        <Select label="Consistency" options={moments} value={consistency} onChange={setConsistency} />
        <p className="quiet small">
          Rows, files and release are of one moment, and the project is used meanwhile. An export that finds files or
          the release changed begins anew, five times at the most.
        </p>
      </Form>
    </Modal>
  );
}
