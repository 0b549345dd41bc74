import './domains.css';
import { Globe, Link2, Lock, Plus } from 'lucide-react';
import { Button } from '../../design/button.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Page } from '../../design/page.tsx';
import { State } from '../../design/status.tsx';
import { Table } from '../../design/table.tsx';
import { When } from '../../design/when.tsx';
import { useCommands } from '../../frame/commands.ts';
import { useAsk } from '../../graph/use-live-query.ts';
import { useWhileVisible } from '../../graph/use-while-visible.ts';
import { useSearch } from '../../search.ts';
import { mayOn } from '../../session/may.ts';
import { projectCrumbs } from '../project-crumbs.ts';
import { ConnectDomain } from './connect-domain.tsx';
import { DomainStatus, StandingBadge } from './domain-status.tsx';
import { certificateOf, type DomainSummary, isOn, roleOf } from './domain-types.ts';
import { DomainsDocument } from './domains.graphql.ts';

/** How often the list is read again, in milliseconds: the gateway looks at the records by itself. */
const everyMs = 10_000;

/** The domains of its own that a project is connected to. */
export default function DomainsPage({ project: id }: { readonly project: string }) {
  const answer = useAsk(DomainsDocument, { project: id });
  useWhileVisible(everyMs, answer.again);
  const [dialog, setDialog] = useSearch('dialog', '');
  const project = answer.data?.project;
  const mayWrite = project != null && mayOn(project, 'project:domains:write');
  const connect = () => setDialog('connect');
  useCommands(
    mayWrite
      ? [{ id: 'connect domain', name: 'Connect a domain', icon: Plus, words: 'add dns host', act: connect }]
      : [],
  );
  return (
    <Page
      title="Domains"
      lead="Domains of your own under which the project is served."
      crumbs={projectCrumbs(project?.organization, project)}
      actions={
        mayWrite && (
          <Button variant="primary" icon={Plus} onPress={connect}>
            Connect domain
          </Button>
        )
      }
    >
      {project != null && !mayOn(project, 'project:domains:read') ? (
        <State icon={Lock} title="You cannot see the domains">
          Members of the organization see them, and whoever has a grant to read the project.
        </State>
      ) : (
        <Loaded answer={answer}>
          {({ project: found }) =>
            found === null ? (
              <State icon={Globe} title="Project not found">
                It was deleted, or you have no access to it.
              </State>
            ) : (
              <DomainTable
                project={found.projectId}
                domains={found.domains ?? []}
                connect={mayWrite ? connect : undefined}
              />
            )
          }
        </Loaded>
      )}
      {dialog === 'connect' && mayWrite && (
        <ConnectDomain project={id} close={() => setDialog('', { replace: true })} />
      )}
    </Page>
  );
}

interface DomainTableProps {
  readonly project: string;
  readonly domains: readonly DomainSummary[];
  readonly connect: (() => void) | undefined;
}

const DomainTable = ({ project, domains, connect }: DomainTableProps) => (
  <Table
    label="Domains"
    rows={domains}
    keyOf={({ domain }) => domain}
    linkOf={({ domain }) => `/projects/${project}/domains/${encodeURIComponent(domain)}`}
    columns={[
      { id: 'domain', name: 'Domain', grows: true, cell: ({ domain }) => domain },
      { id: 'status', name: 'Status', cell: ({ status }) => <DomainStatus status={status} /> },
      {
        id: 'role',
        name: 'Role',
        cell: (domain) => (isOn(domain) ? (roleOf(domain) === 'ALIAS' ? 'Another name' : 'Address') : 'Turned off'),
      },
      {
        id: 'certificate',
        name: 'Certificate',
        cell: (domain) => {
          const check = certificateOf(domain);
          return check === undefined ? <span className="quiet">–</span> : <StandingBadge status={check.status} />;
        },
      },
      { id: 'connected', name: 'Connected', cell: ({ createdAt }) => <When at={createdAt} /> },
    ]}
    empty={
      <State
        icon={Link2}
        title="No domain yet"
        action={connect !== undefined && <Button onPress={connect}>Connect the first domain</Button>}
      >
        Connect a domain that you own, and set two records at its DNS provider.
      </State>
    }
  />
);
