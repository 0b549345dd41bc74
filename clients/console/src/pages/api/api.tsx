import { Braces } from 'lucide-react';
import { Loaded } from '../../design/loaded.tsx';
import { Page } from '../../design/page.tsx';
import { State } from '../../design/status.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { useAsk } from '../../graph/use-live-query.ts';
import { useSearch } from '../../search.ts';
import { mayOn } from '../../session/may.ts';
import { projectCrumbs } from '../project-crumbs.ts';
import './api.css';
import { ApiKeysDocument, type ApiKeysQuery, ApiProjectDocument, type ApiProjectQuery } from './api.graphql.ts';
import { CallerBar } from './caller-bar.tsx';
import { Explorer } from './explorer.tsx';
import { Reference } from './reference.tsx';
import { LiveGuide, SignInGuide } from './sign-in-guide.tsx';
import type { Place } from './snippets.ts';
import { thingsOf } from './things.ts';
import { useCaller } from './use-caller.ts';

type Project = NonNullable<ApiProjectQuery['project']>;
type Keys = NonNullable<ApiKeysQuery['project']>['keys'];

/** How programs reach a project: written for its tables, with its address and its keys. */
export default function ApiPage({ project }: { readonly project: string }) {
  const answer = useAsk(ApiProjectDocument, { project });
  return (
    <Page title="API" crumbs={projectCrumbs(answer.data?.project?.organization, answer.data?.project)} wide>
      <Loaded answer={answer}>
        {({ project: found }) =>
          found != null &&
          (mayOn(found, 'project:schema:read') ? (
            <WithKeys project={found} />
          ) : (
            <State icon={Braces} title="You may not read the schema">
              Developers, admins and owners of the organization may.
            </State>
          ))
        }
      </Loaded>
    </Page>
  );
}

/** Owners alone may read the keys. Everybody else sees names in their place. */
function WithKeys({ project }: { readonly project: Project }) {
  const mayAsk = mayOn(project, 'project:keys:read');
  const answer = useAsk(ApiKeysDocument, mayAsk ? { project: project.projectId } : undefined);
  if (!mayAsk) return <Ready project={project} keys={null} />;
  return <Loaded answer={answer}>{(data) => <Ready project={project} keys={data.project?.keys ?? null} />}</Loaded>;
}

function Ready({ project, keys }: { readonly project: Project; readonly keys: Keys }) {
  const [part, setPart] = useSearch('part', 'tables');
  const state = useCaller(keys ?? undefined);
  const things = thingsOf(project.tables ?? [], project.expose?.manifest);
  const place: Place = {
    origin: location.origin,
    projectId: project.projectId,
    caller: state.caller,
    userId: state.user?.id,
  };
  const live = things.filter(({ isLive }) => isLive).map(({ name }) => name);
  // Users sign in with the anon key, whoever the other parts show.
  const anonKeys = { ...state.keys, key: keys?.anonKey, keyName: 'ANON_KEY', token: state.user?.token };
  return (
    <>
      <CallerBar state={state} />
      <Tabs
        label="Parts of the API"
        selected={['tables', 'graphql', 'sign-in', 'live'].includes(part) ? part : 'tables'}
        select={setPart}
        pages={[
          {
            id: 'tables',
            name: 'Tables and functions',
            content: <Reference things={things} place={place} state={state} />,
          },
          { id: 'graphql', name: 'GraphQL', content: <Explorer projectId={project.projectId} state={state} /> },
          { id: 'sign-in', name: 'Sign-in', content: <SignInGuide place={place} keys={anonKeys} /> },
          { id: 'live', name: 'Live', content: <LiveGuide place={place} keys={state.keys} tables={live} /> },
        ]}
      />
    </>
  );
}
