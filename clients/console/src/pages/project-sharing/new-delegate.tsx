import { useState } from 'react';
import { DateField } from '../../design/date-field.tsx';
import { Select, TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Modal } from '../../design/modal.tsx';
import { announce } from '../../design/toast.tsx';
import { useChange } from '../../graph/use-change.ts';
import { useDraft } from '../../use-draft.ts';
import { capabilityNames } from './capabilities.ts';
import { creatable, kindNames } from './delegate-kinds.ts';
import { endOf, type Grant, holderName } from './holdings.ts';
import { NewToken } from './new-token.tsx';
import { CreateDelegateDocument, type DelegateKind } from './sharing.graphql.ts';

interface NewDelegateProps {
  readonly project: string;
  /** Grants that hold; at least one. */
  readonly grants: readonly Grant[];
  readonly close: () => void;
}

/** The dialog that makes a delegate, and then shows its token once. */
export function NewDelegate({ project, grants, close }: NewDelegateProps) {
  const create = useChange(CreateDelegateDocument);
  const draft = useDraft(`delegate ${project}`, {
    grantId: grants[0]!.grantId,
    kind: 'SVC_AGENT_KEY' as DelegateKind,
    subject: '',
    ends: '',
  });
  const { grantId, kind, ends } = draft.values;
  const [token, setToken] = useState<string>();
  if (token !== undefined) return <NewToken token={token} close={close} />;
  const grant = grants.find((one) => one.grantId === grantId) ?? grants[0]!;
  return (
    <Modal title="New delegate" isOpen close={close} kind="alert">
      <Form
        label="New delegate"
        submit="Create delegate"
        cancel={close}
        error={create.error}
        labels={{ publicSubject: 'Known by', expiresAt: 'Ends', grant: 'Grant' }}
        draft={draft}
        send={async () => {
          const subject = kind === 'SVC_AGENT_KEY' ? '' : draft.values.subject.trim();
          const made = await create.run({
            project,
            grant: grant.grantId,
            kind,
            scope: { capabilities: [grant.capability] },
            publicSubject: subject === '' ? undefined : subject,
            expiresAt: endOf(ends),
          });
          if (made === undefined) return false;
          const secret = made.createDelegate?.token ?? null;
          if (secret === null) {
            announce('The delegate is created.');
            close();
          } else setToken(secret);
          return true;
        }}
      >
        <Select
          label="Grant"
          hint="The delegate acts under this grant, and ends with it."
          options={grants.map((one) => ({
            id: one.grantId,
            name: `${holderName(one)}: ${capabilityNames[one.capability].toLowerCase()}`,
          }))}
          value={grant.grantId}
          onChange={(id) => draft.set({ grantId: id })}
        />
        <Select
          label="Kind"
          hint={
            kind === 'SVC_AGENT_KEY' ? 'A token that is shown once.' : 'It can be registered, and cannot sign in yet.'
          }
          options={creatable.map((id) => ({ id, name: kindNames[id] }))}
          value={kind}
          onChange={(id) => draft.set({ kind: id as DelegateKind })}
        />
        {kind !== 'SVC_AGENT_KEY' && (
          <TextField
            label="Known by"
            {...draft.field('subject')}
            hint={kind === 'CI_OIDC' ? 'The subject of the tokens of the build.' : 'The address of the key (0x…).'}
            isRequired
            autoComplete="off"
          />
        )}
        <DateField label="Ends" hint="At the end of this day. Empty: with its grant." {...draft.field('ends')} />
      </Form>
    </Modal>
  );
}
