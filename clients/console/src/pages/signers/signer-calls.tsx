import { Send } from 'lucide-react';
import { StateBadge } from '../../design/badge.tsx';
import { breakable } from '../../design/breakable.tsx';
import { CopyButton } from '../../design/code.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Section } from '../../design/section.tsx';
import { State } from '../../design/status.tsx';
import { Table } from '../../design/table.tsx';
import { When } from '../../design/when.tsx';
import { useAsk } from '../../graph/use-live-query.ts';
import { useWhileVisible } from '../../graph/use-while-visible.ts';
import { shortAddress } from './ether.ts';
import { SignerCallsDocument, type SignerCallsQuery, type SignerRowFragment } from './signers.graphql.ts';

/** How often the list is read again, in milliseconds: while a call is pending, and otherwise. */
const pendingMs = 2_000;
const quietMs = 15_000;

type Calls = NonNullable<NonNullable<SignerCallsQuery['project']>['contractCalls']>;
type Call = Calls['edges'][number]['node'];

const kindNames: Readonly<Record<Call['kind'], string>> = { CALL: 'Call', DEPLOY: 'Deploy', DRAIN: 'Drain' };

interface SignerCallsProps {
  readonly project: string;
  readonly signer: SignerRowFragment;
}

/** The latest calls of a signer. */
export function SignerCalls({ project, signer: { signerId, address } }: SignerCallsProps) {
  const answer = useAsk(SignerCallsDocument, { project, signer: signerId });
  const calls = answer.data?.project?.contractCalls?.edges.map(({ node }) => node) ?? [];
  useWhileVisible(calls.some(({ status }) => status === 'PENDING') ? pendingMs : quietMs, answer.again);
  return (
    <Section title={`Latest calls of ${shortAddress(address)}`}>
      <Loaded answer={answer}>
        {() => (
          <Table
            label="Calls"
            rows={calls}
            keyOf={({ callId }) => callId}
            columns={[
              {
                id: 'call',
                name: 'Call',
                grows: true,
                cell: ({ kind, functionName, contractAddress, error }: Call) => (
                  <>
                    <code>{breakable(functionName ?? kindNames[kind])}</code>
                    <span className="quiet small"> {shortAddress(contractAddress)}</span>
                    {error !== null && <p className="small">{error}</p>}
                  </>
                ),
              },
              { id: 'status', name: 'Status', cell: ({ status }: Call) => <StateBadge value={status} /> },
              {
                id: 'hash',
                name: 'Transaction',
                cell: ({ txHash }: Call) =>
                  txHash !== null && (
                    <>
                      <code>{txHash.slice(0, 10)}…</code> <CopyButton what="the hash" text={txHash} />
                    </>
                  ),
              },
              { id: 'at', name: 'Signed', cell: ({ createdAt }: Call) => <When at={createdAt} /> },
            ]}
            empty={
              <State icon={Send} title="No calls yet">
                <code>svc contracts call</code> makes one.
              </State>
            }
          />
        )}
      </Loaded>
    </Section>
  );
}
