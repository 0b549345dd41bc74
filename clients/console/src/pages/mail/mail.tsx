import './mail.css';
import { Lock, Mails } from 'lucide-react';
import { Select } from '../../design/field.tsx';
import { Filters } from '../../design/filters.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Note } from '../../design/note.tsx';
import { Page } from '../../design/page.tsx';
import { State } from '../../design/status.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { useAsk } from '../../graph/use-live-query.ts';
import { useSearch } from '../../search.ts';
import { mayOn } from '../../session/may.ts';
import { projectCrumbs } from '../project-crumbs.ts';
import { Deliveries } from './deliveries.tsx';
import { MailboxesDocument, type MailboxesQuery } from './mail.graphql.ts';
import { Messages } from './messages.tsx';

type Project = NonNullable<MailboxesQuery['project']>;

/** The mail of a project: what its mailboxes have sent and received, and what their webhooks were told. */
export default function MailPage({ project: id }: { readonly project: string }) {
  const answer = useAsk(MailboxesDocument, { project: id });
  const project = answer.data?.project;
  return (
    <Page
      title="Mail"
      lead="What mailboxes of the project have sent, and what was answered."
      crumbs={projectCrumbs(project?.organization, project)}
    >
      {project != null && !mayOn(project, 'project:mail:read') ? (
        <State icon={Lock} title="You cannot see the mail">
          Developers, admins and owners of the organization see it.
        </State>
      ) : (
        <Loaded answer={answer}>
          {({ project: found }) =>
            found === null ? (
              <State icon={Mails} title="Project not found">
                It was deleted, or you have no access to it.
              </State>
            ) : (
              <Mail project={found} />
            )
          }
        </Loaded>
      )}
    </Page>
  );
}

function Mail({ project }: { readonly project: Project }) {
  const [named, setNamed] = useSearch('mailbox', '');
  const [tab, setTab] = useSearch('tab', 'messages');
  const all = project.mailboxes?.mailboxes ?? [];
  const usual = all.find(({ mailboxId }) => mailboxId === project.mailboxes?.defaultOutboundMailboxId) ?? all[0];
  const shown = all.find(({ slug }) => slug === named) ?? usual;
  if (shown === undefined)
    return (
      <State icon={Mails} title="No mailboxes yet">
        <code>svc email create hello-there</code> makes the first one.
      </State>
    );
  const asked = { project: project.projectId, mailbox: shown.mailboxId, slug: shown.slug };
  return (
    <>
      <Filters>
        <Select
          label="Mailbox"
          options={all.map(({ slug }) => ({ id: slug, name: slug }))}
          value={shown.slug}
          onChange={setNamed}
        />
      </Filters>
      <p className="mail-address">
        <code>{shown.address}</code>
      </p>
      {shown.status === 'SUSPENDED' && (
        <Note mood="bad" title="The mailbox is suspended">
          Too much of its mail came back, or a recipient has complained. It neither sends nor receives.
        </Note>
      )}
      {shown.receiveBlockedReason === 'provider_not_configured' && (
        <Note mood="warn" title="The mailbox receives nothing">
          The operator of this installation has not set MAIL_LISTEN.
        </Note>
      )}
      <Tabs
        label="Mail"
        selected={tab}
        select={setTab}
        pages={[
          { id: 'messages', name: 'Messages', content: <Messages {...asked} /> },
          {
            id: 'webhooks',
            name: 'Webhooks',
            content: <Deliveries {...asked} mayWrite={mayOn(project, 'project:mail:write')} />,
          },
        ]}
      />
    </>
  );
}
