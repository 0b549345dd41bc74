import { Globe, Plus, Trash2 } from 'lucide-react';
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
import { announce } from '../../design/toast.tsx';
import { When } from '../../design/when.tsx';
import { useChange } from '../../graph/use-change.ts';
import { useSearch } from '../../search.ts';
import { ClaimSubdomainDocument, DeleteSubdomainDocument } from './site.graphql.ts';
import type { Project } from './site-types.ts';

/** How many names a project may have. */
const namesMost = 10;

/** Names below the platform’s domain under which the project is served. */
export function Subdomains({ project, mayWrite }: { readonly project: Project; readonly mayWrite: boolean }) {
  const [dialog, setDialog] = useSearch('dialog', '');
  const [leaving, setLeaving] = useState<string>();
  const names = project.subdomains ?? [];
  // The project's own host is one of these names, too.
  const domain = new URL(project.hostUrl).host.replace(/^[^.]+\./, '');
  return (
    <Section
      title="Subdomains"
      about={`Names before .${domain}. A project may have ${namesMost}, and each leads to the live release.`}
      actions={
        mayWrite && (
          <Button icon={Plus} isDisabled={names.length >= namesMost} onPress={() => setDialog('claim')}>
            Claim subdomain
          </Button>
        )
      }
    >
      <Table
        label="Subdomains"
        rows={names}
        keyOf={({ name }) => name}
        columns={[
          {
            id: 'name',
            name: 'Name',
            grows: true,
            cell: ({ url }) => (
              <a href={url} target="_blank" rel="noreferrer">
                {new URL(url).host}
              </a>
            ),
          },
          { id: 'claimed', name: 'Claimed', cell: ({ createdAt }) => <When at={createdAt} /> },
          {
            id: 'actions',
            name: 'Actions',
            isNameHidden: true,
            align: 'end',
            cell: ({ name, url }) => (
              <span className="row-actions one-line">
                <CopyButton what={url} text={url} isIcon />
                {mayWrite && (
                  <IconButton small icon={Trash2} label={`Give up ${name}`} onPress={() => setLeaving(name)} />
                )}
              </span>
            ),
          },
        ]}
        empty={
          <State icon={Globe} title="No subdomain yet">
            The project is found at its own host. Claim a name that people can remember.
          </State>
        }
      />
      {dialog === 'claim' && mayWrite && (
        <Claim project={project.projectId} domain={domain} close={() => setDialog('', { replace: true })} />
      )}
      {leaving !== undefined && (
        <GiveUp project={project.projectId} name={leaving} close={() => setLeaving(undefined)} />
      )}
    </Section>
  );
}

interface ClaimProps {
  readonly project: string;
  readonly domain: string;
  readonly close: () => void;
}

function Claim({ project, domain, close }: ClaimProps) {
  const claim = useChange(ClaimSubdomainDocument);
  const [name, setName] = useState('');
  const shown = name.trim().toLowerCase();
  return (
    <Modal title="Claim a subdomain" isOpen close={close} kind="alert">
      <Form
        label="Subdomain"
        submit="Claim subdomain"
        cancel={close}
        error={claim.error}
        labels={{ name: 'Name' }}
        send={async () => {
          const done = await claim.run({ project, name: shown });
          if (done === undefined) return false;
          announce(`The project is served at ${shown}.${domain}.`);
          close();
          return true;
        }}
      >
        <TextField
          label="Name"
          hint="3 to 63 lower-case letters, digits and hyphens, with no hyphen at an end."
          value={name}
          onChange={setName}
          isRequired
          autoFocus
          maxLength={63}
          autoComplete="off"
          spellCheck="false"
          placeholder="our-shop"
        />
        <p className="quiet small">
          Leads to <code>{`${shown === '' ? 'our-shop' : shown}.${domain}`}</code>
        </p>
      </Form>
    </Modal>
  );
}

interface GiveUpProps {
  readonly project: string;
  readonly name: string;
  readonly close: () => void;
}

function GiveUp({ project, name, close }: GiveUpProps) {
  const remove = useChange(DeleteSubdomainDocument);
  return (
    <Confirm
      title={`Give up ${name}?`}
      isOpen
      close={close}
      act="Give up subdomain"
      error={remove.error}
      run={async () => {
        const done = await remove.run({ project, name });
        if (done !== undefined) announce(`${name} is given up.`);
        return done !== undefined;
      }}
    >
      Nothing is served under the name from then on. It rests for 14 days, in which only this organization may claim it
      again.
    </Confirm>
  );
}
