import { Link2, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Button, IconButton } from '../../design/button.tsx';
import { CopyButton } from '../../design/code.tsx';
import { Confirm } from '../../design/confirm.tsx';
import { TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Modal } from '../../design/modal.tsx';
import { Section } from '../../design/section.tsx';
import { State } from '../../design/status.tsx';
import { Table } from '../../design/table.tsx';
import { useChange } from '../../graph/use-change.ts';
import { useSearch } from '../../search.ts';
import { ChangeSignInSettingsDocument } from './users.graphql.ts';

/** The URLs that sign-in may redirect browsers to, besides the project's own hosts. */
export function RedirectUrls({ projectId, urls }: { readonly projectId: string; readonly urls: readonly string[] }) {
  const [open, setOpen] = useSearch('dialog', '');
  const [leaving, setLeaving] = useState<string>();
  const remove = useChange(ChangeSignInSettingsDocument);
  return (
    <Section
      title="Redirect URLs"
      about="Sign-in may lead users to these URLs and to all paths below them. The project’s own hosts and http://localhost need no entry."
      actions={
        <Button icon={Plus} onPress={() => setOpen('redirect')}>
          Add URL
        </Button>
      }
    >
      <Table
        label="Redirect URLs"
        rows={urls}
        keyOf={(url) => url}
        columns={[
          { id: 'url', name: 'URL', grows: true, cell: (url) => <code>{url}</code> },
          {
            id: 'actions',
            name: 'Actions',
            isNameHidden: true,
            align: 'end',
            cell: (url) => (
              <span className="row-actions">
                <CopyButton what={url} text={url} isIcon />
                <IconButton small icon={Trash2} label={`Remove ${url}`} onPress={() => setLeaving(url)} />
              </span>
            ),
          },
        ]}
        empty={
          <State icon={Link2} title="No redirect URLs yet">
            Add the address of your app, so that sign-in may lead its users back.
          </State>
        }
      />
      <AddRedirect projectId={projectId} isOpen={open === 'redirect'} close={() => setOpen('', { replace: true })} />
      <Confirm
        title="Remove the redirect URL?"
        isOpen={leaving !== undefined}
        close={() => setLeaving(undefined)}
        act="Remove URL"
        error={remove.error}
        run={async () =>
          leaving !== undefined &&
          (await remove.run({ project: projectId, removeRedirectUrls: [leaving] })) !== undefined
        }
      >
        {`Sign-in no longer leads to ${leaving ?? ''}, from the next sign-in on.`}
      </Confirm>
    </Section>
  );
}

interface AddRedirectProps {
  readonly projectId: string;
  readonly isOpen: boolean;
  readonly close: () => void;
}

/** What was typed stays when the dialog is left, and until it was accepted. */
function AddRedirect({ projectId, isOpen, close }: AddRedirectProps) {
  const [url, setUrl] = useState('');
  const add = useChange(ChangeSignInSettingsDocument);
  return (
    <Modal title="Add a redirect URL" isOpen={isOpen} close={close} kind="alert">
      <Form
        label="Redirect URL"
        submit="Add URL"
        error={add.error}
        labels={{ addRedirectUrls: 'URL' }}
        cancel={close}
        send={async () => {
          const done = (await add.run({ project: projectId, addRedirectUrls: [url] })) !== undefined;
          if (done) {
            setUrl('');
            close();
          }
          return done;
        }}
      >
        <TextField
          label="URL"
          hint="https, or http on this machine. No wildcards: a path covers all below it."
          value={url}
          onChange={setUrl}
          isRequired
          autoFocus
          maxLength={2048}
          inputMode="url"
          autoComplete="off"
          spellCheck="false"
          placeholder="https://app.example.com/auth"
        />
      </Form>
    </Modal>
  );
}
