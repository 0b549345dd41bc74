import { useState } from 'react';
import { Select, TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Modal } from '../../design/modal.tsx';
import { useChange } from '../../graph/use-change.ts';
import { go } from '../../router.tsx';
import { EnsureDomainDocument } from './domains.graphql.ts';

interface ConnectDomainProps {
  readonly project: string;
  readonly close: () => void;
}

const roles = [
  { id: 'PRIMARY', name: 'The address of the project' },
  { id: 'ALIAS', name: 'Another name for it' },
];

/** The dialog that connects a domain, and leads to the records that are to be set. */
export function ConnectDomain({ project, close }: ConnectDomainProps) {
  const connect = useChange(EnsureDomainDocument);
  const [domain, setDomain] = useState('');
  const [role, setRole] = useState('PRIMARY');
  return (
    <Modal title="Connect a domain" isOpen close={close} kind="alert">
      <Form
        label="Connection"
        submit="Connect domain"
        cancel={close}
        error={connect.error}
        labels={{ domain: 'Domain' }}
        send={async () => {
          const desired = { web: { role: role as 'PRIMARY' | 'ALIAS' } };
          const done = await connect.run({ project, domain: domain.trim(), desired });
          const name = done?.ensureDomain?.domain;
          if (name === undefined) return false;
          close();
          go(`/projects/${project}/domains/${encodeURIComponent(name)}`);
          return true;
        }}
      >
        <TextField
          label="Domain"
          hint="One that you own. www.example.com and example.com are two."
          value={domain}
          onChange={setDomain}
          isRequired
          autoFocus
          maxLength={253}
          inputMode="url"
          autoComplete="off"
          spellCheck="false"
          placeholder="shop.example.com"
        />
        <Select label="What it is" options={roles} value={role} onChange={setRole} />
      </Form>
    </Modal>
  );
}
