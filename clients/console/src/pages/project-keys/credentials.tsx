import { KeyRound, RotateCw, X } from 'lucide-react';
import { useState } from 'react';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { Confirm } from '../../design/confirm.tsx';
import { Section } from '../../design/section.tsx';
import { State } from '../../design/status.tsx';
import { Table } from '../../design/table.tsx';
import { announce } from '../../design/toast.tsx';
import { When } from '../../design/when.tsx';
import { useChange } from '../../graph/use-change.ts';
import { End } from '../project-sharing/ended.tsx';
import { RevokeCredentialDocument, RotateCredentialDocument } from './keys.graphql.ts';
import { type Credential, kindNames } from './shown-credential.ts';

interface CredentialsProps {
  readonly project: string;
  readonly credentials: readonly Credential[];
  readonly mayChange: boolean;
  /** Shows a key, which is told once. */
  readonly show: (secret: string) => void;
}

/** The keys of a project beside its own two, and what is done to each. */
export function Credentials({ project, credentials, mayChange, show }: CredentialsProps) {
  const [question, setQuestion] = useState<{ readonly kind: 'revoke' | 'rotate'; readonly credential: Credential }>();
  const close = () => setQuestion(undefined);
  return (
    <Section
      title="Further keys"
      about="The anon key and the service key of the project itself are on its home, and cannot be replaced."
    >
      <Table
        label="Further keys"
        rows={credentials}
        keyOf={({ credentialId }) => credentialId}
        columns={[
          { id: 'name', name: 'Name', grows: true, cell: ({ name }) => <bdi>{name}</bdi> },
          { id: 'kind', name: 'Kind', cell: ({ kind }) => kindNames[kind] },
          {
            id: 'used',
            name: 'Last used',
            cell: ({ lastUsedAt }) =>
              lastUsedAt === null ? <span className="small quiet">never</span> : <When at={lastUsedAt} />,
          },
          {
            id: 'ends',
            name: 'Ends',
            cell: (one) => (one.revokedReason === 'rotated' ? <Badge>replaced</Badge> : <End of={one} />),
          },
          { id: 'made', name: 'Created', cell: ({ createdAt }) => <When at={createdAt} /> },
          ...(mayChange
            ? [
                {
                  id: 'actions',
                  name: 'Actions',
                  isNameHidden: true,
                  align: 'end' as const,
                  cell: (credential: Credential) =>
                    credential.revokedAt === null && (
                      <span className="row-actions">
                        <Button
                          small
                          variant="quiet"
                          icon={RotateCw}
                          onPress={() => setQuestion({ kind: 'rotate', credential })}
                        >
                          <span>
                            Replace<span className="seen-by-readers"> the key {credential.name}</span>
                          </span>
                        </Button>
                        <Button
                          small
                          variant="quiet"
                          icon={X}
                          onPress={() => setQuestion({ kind: 'revoke', credential })}
                        >
                          <span>
                            Revoke<span className="seen-by-readers"> the key {credential.name}</span>
                          </span>
                        </Button>
                      </span>
                    ),
                },
              ]
            : []),
        ]}
        empty={
          <State icon={KeyRound} title="No further key yet">
            Create one for each program that uses the project.
          </State>
        }
      />
      {question?.kind === 'revoke' && <Revoke project={project} credential={question.credential} close={close} />}
      {question?.kind === 'rotate' && (
        <Rotate project={project} credential={question.credential} close={close} show={show} />
      )}
    </Section>
  );
}

interface QuestionProps {
  readonly project: string;
  readonly credential: Credential;
  readonly close: () => void;
}

function Revoke({ project, credential: { credentialId, name }, close }: QuestionProps) {
  const revoke = useChange(RevokeCredentialDocument);
  return (
    <Confirm
      title={`Revoke the key ${name}?`}
      isOpen
      close={close}
      act="Revoke key"
      error={revoke.error}
      run={async () => {
        const done = await revoke.run({ project, credential: credentialId });
        if (done !== undefined) announce('The key is revoked.');
        return done !== undefined;
      }}
    >
      Programs that use it are refused at once, and what is open by it ends.
    </Confirm>
  );
}

function Rotate({
  project,
  credential: { credentialId, name },
  close,
  show,
}: QuestionProps & Pick<CredentialsProps, 'show'>) {
  const rotate = useChange(RotateCredentialDocument);
  return (
    <Confirm
      title={`Replace the key ${name}?`}
      isOpen
      close={close}
      act="Replace key"
      error={rotate.error}
      run={async () => {
        const done = await rotate.run({ project, credential: credentialId });
        const secret = done?.rotateProjectCredential?.secret;
        if (secret != null) show(secret);
        return done !== undefined;
      }}
    >
      The old key stops working at once. The new one is shown once.
    </Confirm>
  );
}
