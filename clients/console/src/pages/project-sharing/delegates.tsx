import { Bot, Plus, RotateCw, X } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../design/button.tsx';
import { Confirm } from '../../design/confirm.tsx';
import { Section } from '../../design/section.tsx';
import { State } from '../../design/status.tsx';
import { Table } from '../../design/table.tsx';
import { announce } from '../../design/toast.tsx';
import { shortId } from '../../design/wallet.tsx';
import { When } from '../../design/when.tsx';
import { useChange } from '../../graph/use-change.ts';
import { capabilityNames } from './capabilities.ts';
import { kindNames } from './delegate-kinds.ts';
import { End } from './ended.tsx';
import { type Delegate, type Grant, holderName, holds } from './holdings.ts';
import { NewToken } from './new-token.tsx';
import { RevokeDelegateDocument, RotateDelegateDocument } from './sharing.graphql.ts';

interface DelegatesProps {
  readonly project: string;
  readonly delegates: readonly Delegate[];
  readonly grants: readonly Grant[];
  readonly mayChange: boolean;
  /** Opens the dialog for a new one; undefined without a grant that it could narrow. */
  readonly create: (() => void) | undefined;
}

const delegateName = ({ publicSubject, delegateId }: Delegate): string => publicSubject ?? shortId(delegateId);

/** Programs that act under a grant. */
export function Delegates({ project, delegates, grants, mayChange, create }: DelegatesProps) {
  const [question, setQuestion] = useState<{ readonly kind: 'revoke' | 'rotate'; readonly delegate: Delegate }>();
  const [token, setToken] = useState<string>();
  const close = () => setQuestion(undefined);
  const grantOf = ({ grantId }: Delegate) => grants.find((grant) => grant.grantId === grantId);
  return (
    <Section
      title="Delegates"
      about="A delegate gives a program a part of a grant. The program signs in with a token of its own."
      actions={
        mayChange && (
          <Button icon={Plus} isDisabled={create === undefined} onPress={() => create?.()}>
            New delegate
          </Button>
        )
      }
    >
      <Table
        label="Delegates"
        rows={delegates}
        keyOf={({ delegateId }) => delegateId}
        columns={[
          { id: 'name', name: 'Delegate', grows: true, cell: (one) => <bdi>{delegateName(one)}</bdi> },
          { id: 'kind', name: 'Kind', cell: ({ kind }) => kindNames[kind] },
          {
            id: 'may',
            name: 'May',
            cell: ({ scope }) => [...new Set(scope.capabilities.map((one) => capabilityNames[one]))].join(', '),
          },
          {
            id: 'under',
            name: 'Under the grant of',
            cell: (one) => {
              const grant = grantOf(one);
              return grant === undefined ? shortId(one.grantId) : <bdi>{holderName(grant)}</bdi>;
            },
          },
          { id: 'ends', name: 'Ends', cell: (one) => <End of={one} /> },
          { id: 'made', name: 'Created', cell: ({ createdAt }) => <When at={createdAt} /> },
          ...(mayChange
            ? [
                {
                  id: 'actions',
                  name: 'Actions',
                  isNameHidden: true,
                  align: 'end' as const,
                  cell: (delegate: Delegate) =>
                    holds(delegate) && (
                      <span className="row-actions">
                        {delegate.kind === 'SVC_AGENT_KEY' && (
                          <Button
                            small
                            variant="quiet"
                            icon={RotateCw}
                            onPress={() => setQuestion({ kind: 'rotate', delegate })}
                          >
                            <span>
                              Rotate token<span className="seen-by-readers"> of {delegateName(delegate)}</span>
                            </span>
                          </Button>
                        )}
                        <Button
                          small
                          variant="quiet"
                          icon={X}
                          onPress={() => setQuestion({ kind: 'revoke', delegate })}
                        >
                          <span>
                            Revoke<span className="seen-by-readers"> the delegate {delegateName(delegate)}</span>
                          </span>
                        </Button>
                      </span>
                    ),
                },
              ]
            : []),
        ]}
        empty={
          <State icon={Bot} title="No delegate yet">
            {create === undefined
              ? 'Share the project first: a delegate gets a part of a grant.'
              : 'Create one to let a program act under a grant, with less than the whole of it.'}
          </State>
        }
      />
      {question?.kind === 'revoke' && <Revoke project={project} delegate={question.delegate} close={close} />}
      {question?.kind === 'rotate' && (
        <Rotate project={project} delegate={question.delegate} close={close} show={setToken} />
      )}
      {token !== undefined && <NewToken token={token} close={() => setToken(undefined)} />}
    </Section>
  );
}

interface QuestionProps {
  readonly project: string;
  readonly delegate: Delegate;
  readonly close: () => void;
}

function Revoke({ project, delegate, close }: QuestionProps) {
  const revoke = useChange(RevokeDelegateDocument);
  return (
    <Confirm
      title={`Revoke the delegate ${delegateName(delegate)}?`}
      isOpen
      close={close}
      act="Revoke delegate"
      error={revoke.error}
      run={async () => {
        const done = await revoke.run({ project, delegate: delegate.delegateId });
        if (done !== undefined) announce('The delegate is revoked.');
        return done !== undefined;
      }}
    >
      Its token stops working at once, and what is open by it ends.
    </Confirm>
  );
}

function Rotate({ project, delegate, close, show }: QuestionProps & { readonly show: (token: string) => void }) {
  const rotate = useChange(RotateDelegateDocument);
  return (
    <Confirm
      title={`Rotate the token of ${delegateName(delegate)}?`}
      isOpen
      close={close}
      act="Rotate token"
      error={rotate.error}
      run={async () => {
        const done = await rotate.run({ project, delegate: delegate.delegateId });
        const token = done?.rotateDelegate?.token;
        if (token != null) show(token);
        return done !== undefined;
      }}
    >
      The old token stops working at once. The new one is shown once.
    </Confirm>
  );
}
