import { GitFork, Store } from 'lucide-react';
import { bytes, count } from '../../design/amounts.ts';
import { StateBadge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { Facts } from '../../design/facts.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Note } from '../../design/note.tsx';
import { Page } from '../../design/page.tsx';
import { Section } from '../../design/section.tsx';
import { State } from '../../design/status.tsx';
import { When } from '../../design/when.tsx';
import { useAsk } from '../../graph/use-live-query.ts';
import { useSearch } from '../../search.ts';
import { mayChange } from '../../session/may.ts';
import type { App } from './app-type.ts';
import { AppDocument } from './apps.graphql.ts';
import { ForkApp } from './fork-app.tsx';
import { priceOf } from './price-of.ts';

/** One published version: what a fork of it is going to have. The address holds the dialog. */
export default function AppPage({ version }: { readonly version: string }) {
  const [dialog, setDialog] = useSearch('dialog', '');
  const answer = useAsk(AppDocument, { version });
  const app = answer.data?.app;
  const mayFork = app?.forkAllowed === true && mayChange();
  return (
    <Page
      title={app?.name ?? 'App'}
      lead={app?.description ?? 'A project that somebody has published.'}
      crumbs={[['Apps', '/apps']]}
      actions={
        mayFork && (
          <Button variant="primary" icon={GitFork} onPress={() => setDialog('fork')}>
            Fork
          </Button>
        )
      }
    >
      <Loaded answer={answer}>
        {({ app: found }) =>
          found === null ? (
            <State icon={Store} title="App not found">
              It was taken back, or it is private.
            </State>
          ) : (
            <Contents app={found} />
          )
        }
      </Loaded>
      {dialog === 'fork' && mayFork && <ForkApp app={app} close={() => setDialog('', { replace: true })} />}
    </Page>
  );
}

function Contents({ app }: { readonly app: App }) {
  const { functions, tables, migrations, requiredSecrets, bootstrapVariables, warnings } = app;
  return (
    <>
      {warnings.length > 0 && (
        <Note mood="warn" title="Before a fork works">
          <ul>
            {warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </Note>
      )}
      <Section title="What a fork has" about="Rows, users, secrets, mailboxes and own domains never come along.">
        <Facts
          facts={[
            ['Tables', tables.length === 0 ? 'None' : <Words key="tables" words={tables} />],
            ['Migrations', migrations.length === 0 ? 'None' : <Words key="migrations" words={migrations} />],
            [
              'Functions',
              functions.length === 0 ? 'None' : <Words key="functions" words={functions.map(({ name }) => name)} />,
            ],
            ['Schedules', count(functions.reduce((sum, { schedules }) => sum + schedules, 0))],
            ['Routes', count(app.routes)],
            ['Files of the site', count(app.siteFiles)],
            ['Storage', bytes(app.totalBytes)],
          ]}
        />
      </Section>
      <Section title="What it asks for">
        <Facts
          facts={[
            ['Price', priceOf(app.forkPriceUsdMicros)],
            ['From tier', <StateBadge key="tier" value={app.minTier} mood="plain" />],
            ['Secrets', requiredSecrets.length === 0 ? 'None' : <Needs key="secrets" needs={requiredSecrets} />],
            [
              'Variables',
              bootstrapVariables === null || bootstrapVariables.length === 0 ? undefined : (
                <Needs key="variables" needs={bootstrapVariables} />
              ),
            ],
          ]}
        />
      </Section>
      <Section title="About">
        <Facts
          facts={[
            ['Version', count(app.number)],
            ['Published', <When key="at" at={app.createdAt} />],
            ['Id', <code key="id">{app.versionId}</code>],
            ['Tags', app.tags.length === 0 ? undefined : app.tags.join(', ')],
            [
              'See it',
              app.liveUrl === null ? undefined : (
                <a key="live" href={app.liveUrl} target="_blank" rel="noreferrer">
                  {new URL(app.liveUrl).host}
                </a>
              ),
            ],
          ]}
        />
      </Section>
    </>
  );
}

const Words = ({ words }: { readonly words: readonly string[] }) => (
  <>
    {words.map((word, at) => (
      <span key={word}>
        {at > 0 && ', '}
        <code>{word}</code>
      </span>
    ))}
  </>
);

const Needs = ({
  needs,
}: {
  readonly needs: readonly { readonly name: string; readonly description: string | null }[];
}) => (
  <>
    {needs.map(({ name, description }) => (
      <div key={name}>
        <code>{name}</code>
        {description !== null && <span className="quiet"> {description}</span>}
      </div>
    ))}
  </>
);
