import './domains.css';
import { ExternalLink, Globe, RefreshCw, Wrench } from 'lucide-react';
import { Button } from '../../design/button.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Note } from '../../design/note.tsx';
import { Page } from '../../design/page.tsx';
import { State } from '../../design/status.tsx';
import { announce } from '../../design/toast.tsx';
import { useCommands } from '../../frame/commands.ts';
import { useChange } from '../../graph/use-change.ts';
import { useAsk } from '../../graph/use-live-query.ts';
import { useWhileVisible } from '../../graph/use-while-visible.ts';
import { mayOn } from '../../session/may.ts';
import { projectCrumbs } from '../project-crumbs.ts';
import { DnsRecords } from './dns-records.tsx';
import { DomainChecks } from './domain-checks.tsx';
import { DomainMail } from './domain-mail.tsx';
import { DomainSettings } from './domain-settings.tsx';
import { DomainStatus } from './domain-status.tsx';
import type { Domain } from './domain-types.ts';
import { ApplyDomainDocument, CheckDomainDocument, DomainDocument, RepairDomainDocument } from './domains.graphql.ts';

/** How often the page is read again, in milliseconds: what the gateway found by itself shows here. */
const everyMs = 5_000;

interface DomainPageProps {
  readonly project: string;
  readonly domain: string;
}

/** One domain: the records to set, what was seen of them, and what can be done. */
export default function DomainPage({ project: id, domain: name }: DomainPageProps) {
  const answer = useAsk(DomainDocument, { project: id, domain: name });
  useWhileVisible(everyMs, answer.again);
  const project = answer.data?.project;
  const domain = answer.data?.projectDomain ?? undefined;
  const mayWrite = project != null && mayOn(project, 'project:domains:write');
  return (
    <Page
      title={name}
      crumbs={[...projectCrumbs(project?.organization, project), ['Domains', `/projects/${id}/domains`]]}
      lead={
        domain !== undefined && (
          <span className="domain-standing">
            <DomainStatus status={domain.status} />
            {domain.status === 'ACTIVE' && (
              <a href={`https://${domain.domain}`} target="_blank" rel="noreferrer">
                Open
                <ExternalLink className="icon" aria-hidden="true" />
              </a>
            )}
          </span>
        )
      }
      actions={domain !== undefined && mayWrite && <Actions project={id} domain={domain} />}
    >
      <Loaded answer={answer}>
        {() =>
          domain === undefined ? (
            answer.error === undefined && (
              <State icon={Globe} title="Domain not found">
                The project is not connected to it, or you have no access to it.
              </State>
            )
          ) : (
            <>
              <Standing status={domain.status} />
              <DnsRecords records={domain.dnsRecords} />
              <DomainChecks checks={domain.checks} />
              <DomainMail
                project={id}
                domain={domain}
                mayWrite={mayWrite && mayOn(project, 'project:mail:write')}
                again={answer.again}
              />
              {mayWrite && <DomainSettings project={id} domain={domain} />}
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

const standings: Partial<Record<Domain['status'], readonly ['warn' | 'bad' | 'plain', string, string]>> = {
  ACTION_REQUIRED: ['warn', 'Set the records', 'The domain is served once they are seen.'],
  WAITING: ['plain', 'A certificate is being ordered', 'The records are there. That takes some minutes at most.'],
  NEEDS_REPAIR: ['warn', 'A record has drifted', 'The domain is still served. Set the record again, then check it.'],
  FAILED: ['bad', 'The domain is served no more', 'Set the records, then begin anew with “Repair”.'],
};

function Standing({ status }: Pick<Domain, 'status'>) {
  const shown = standings[status];
  if (shown === undefined) return null;
  const [mood, title, more] = shown;
  return (
    <Note mood={mood} title={title}>
      {more}
    </Note>
  );
}

/** Looks at the records now, begins anew, or does what the gateway can. */
function Actions({ project, domain: { domain, status } }: { readonly project: string; readonly domain: Domain }) {
  const check = useChange(CheckDomainDocument);
  const repair = useChange(RepairDomainDocument);
  const apply = useChange(ApplyDomainDocument);
  const input = { project, domain };
  const look = async () => {
    if ((await check.run(input)) !== undefined) announce('The records were looked at.');
  };
  const isBroken = status === 'FAILED' || status === 'NEEDS_REPAIR';
  useCommands([
    { id: 'check domain', name: 'Check this domain', icon: RefreshCw, words: 'dns', act: () => void look() },
  ]);
  return (
    <div className="domain-actions">
      {status === 'WAITING' && (
        <Button isPending={apply.busy} onPress={() => void apply.run(input)}>
          Apply
        </Button>
      )}
      {isBroken && (
        <Button
          icon={Wrench}
          isPending={repair.busy}
          onPress={async () => {
            if ((await repair.run(input)) !== undefined) announce('The domain begins anew.');
          }}
        >
          Repair
        </Button>
      )}
      <Button variant="primary" icon={RefreshCw} isPending={check.busy} onPress={() => void look()}>
        Check now
      </Button>
      <ErrorNote error={check.error ?? repair.error ?? apply.error} />
    </div>
  );
}
