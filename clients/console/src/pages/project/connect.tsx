import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { breakable } from '../../design/breakable.tsx';
import { Button } from '../../design/button.tsx';
import { CopyButton, Secret } from '../../design/code.tsx';
import { Facts } from '../../design/facts.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Section } from '../../design/section.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { useAsk } from '../../graph/use-live-query.ts';
import { useSearch } from '../../search.ts';
import { mayOn } from '../../session/may.ts';
import { exposedTables } from './exposed-tables.ts';
import { FirstStepsDocument, ProjectKeysDocument } from './project.graphql.ts';
import type { Project } from './shown-project.ts';
import { type SnippetValues, snippets } from './snippets.ts';

interface Keys {
  readonly anonKey: string;
  readonly serviceKey: string;
}

const unknownKeys: Keys = { anonKey: 'YOUR_ANON_KEY', serviceKey: 'YOUR_SERVICE_KEY' };

/** The addresses and keys of a project, and first calls that are complete once its keys are there. */
export function Connect({ project }: { readonly project: Project }) {
  const { projectId } = project;
  const url = location.origin;
  const mayRead = mayOn(project, 'project:keys:read');
  const [asked, setAsked] = useState(false);
  // Keys are loaded only when the user asks for them, so that the browser does not hold unneeded ones.
  const answer = useAsk(ProjectKeysDocument, asked && mayRead ? { project: projectId } : undefined);
  const keys = answer.data?.project?.keys ?? undefined;
  const shown = useAsk(FirstStepsDocument, { project: projectId }).data?.project?.expose?.manifest;
  const [table = 'your_table'] = exposedTables(shown);
  return (
    <Section
      title="Connect"
      about="Every request needs a key. Frontends use the anon key; row security decides what it may."
      actions={
        mayRead &&
        keys === undefined && (
          <Button variant="primary" icon={KeyRound} isPending={answer.fetching} onPress={() => setAsked(true)}>
            Get the keys
          </Button>
        )
      }
    >
      {asked && (
        <Loaded answer={answer} loading={null}>
          {() => null}
        </Loaded>
      )}
      <div className="connect">
        <Facts
          facts={[
            ['REST', <Address key="rest" name="REST address" url={`${url}/rest/v1`} />],
            [
              'GraphQL',
              <Address key="graphql" name="GraphQL address" url={`${url}/projects/v1/${projectId}/graphql`} />,
            ],
            ['Live', <Address key="live" name="live address" url={`${url}/live/v1?project_id=${projectId}`} />],
            ['Sign-in', <Address key="auth" name="sign-in address" url={`${url}/auth/v1`} />],
            ['Anon key', keys && <Secret key="anon" name="anon key" value={keys.anonKey} />],
            ['Service key', keys && <Secret key="service" name="service key" value={keys.serviceKey} />],
            ['Keys', mayRead ? undefined : 'An owner of the organization can read them.'],
          ]}
        />
        <Snippets url={url} projectId={projectId} table={table} keys={keys} />
      </div>
    </Section>
  );
}

const Address = ({ name, url }: { readonly name: string; readonly url: string }) => (
  <span className="address">
    <code>{breakable(url)}</code>
    <CopyButton what={name} text={url} isIcon />
  </span>
);

interface SnippetsProps extends Pick<SnippetValues, 'url' | 'projectId' | 'table'> {
  readonly keys: Keys | undefined;
}

/** A snippet shows as much of a key as tells it from another, and copies all of it. */
function Snippets({ url, projectId, table, keys = unknownKeys }: SnippetsProps) {
  const [selected, select] = useSearch('use', snippets[0]!.id);
  const isKnown = snippets.some(({ id }) => id === selected);
  const shown =
    keys === unknownKeys ? keys : { anonKey: shortened(keys.anonKey), serviceKey: shortened(keys.serviceKey) };
  return (
    <Tabs
      label="First call"
      selected={isKnown ? selected : snippets[0]!.id}
      select={select}
      pages={snippets.map(({ id, name, code }) => ({
        id,
        name,
        content: (
          <figure className="code-block" aria-label={`First call with ${name}`}>
            <figcaption>
              <span>{keys === unknownKeys ? 'Put your key in' : 'Copies with the whole key'}</span>
              <CopyButton what={`${name} snippet`} text={code({ url, projectId, table, ...keys })} isIcon />
            </figcaption>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by key. */}
            <pre tabIndex={0}>
              <code>{code({ url, projectId, table, ...shown })}</code>
            </pre>
          </figure>
        ),
      }))}
    />
  );
}

const shortened = (key: string): string => `${key.slice(0, 8)}…`;
