import './events.css';
import { ComboBox } from '../../design/combobox.tsx';
import { Select, Switch } from '../../design/field.tsx';
import { Filters } from '../../design/filters.tsx';
import { Page } from '../../design/page.tsx';
import { useAsk } from '../../graph/use-live-query.ts';
import { useTail } from '../../graph/use-tail.ts';
import { useSearch } from '../../search.ts';
import { useTypedSearch } from '../../use-typed-search.ts';
import { useOrg } from '../use-org.ts';
import { EventList } from './event-list.tsx';
import {
  type EventSource,
  FollowOrgEventsDocument,
  FollowProjectEventsDocument,
  LastOrgEventsDocument,
  LastProjectEventsDocument,
  OrganizationProjectsDocument,
} from './events.graphql.ts';
import { knownTypes } from './sentences.tsx';

const all = 'all';

const sources = [
  { id: all, name: 'Any source' },
  { id: 'PLATFORM', name: 'Platform' },
  { id: 'APP', name: 'App' },
];

const typesIn = (text: string): string[] | null => {
  const types = text.split(/[\s,]+/).filter((type) => type !== '');
  return types.length === 0 ? null : types;
};

/** Events of an organization as they occur. */
export default function Events({ org }: { readonly org: string }) {
  const { crumbs } = useOrg(org);
  const [project, setProject] = useSearch('project', all);
  const [source, setSource] = useSearch('source', all);
  const types = useTypedSearch('types');
  const [live, setLive] = useSearch('live', 'yes');
  const projects = useAsk(OrganizationProjectsDocument, { org }).data?.organization?.projects.edges ?? [];
  const names = new Map(projects.map(({ node }) => [node.projectId, node.name]));
  const shown: Shown = {
    org,
    source: source === all ? null : (source as EventSource),
    types: typesIn(types.applied),
    follows: live === 'yes',
    names,
  };
  return (
    <Page title="Events" lead="What happens in the organization and its projects." crumbs={crumbs}>
      <Filters
        end={
          <Switch isSelected={live === 'yes'} onChange={(is) => setLive(is ? 'yes' : 'no')}>
            Live
          </Switch>
        }
      >
        <Select
          label="Project"
          value={project}
          onChange={setProject}
          options={[
            { id: all, name: 'All projects' },
            ...projects.map(({ node }) => ({ id: node.projectId, name: node.name })),
          ]}
        />
        <Select label="Source" value={source} onChange={setSource} options={sources} />
        <ComboBox
          label="Types"
          placeholder="All types"
          takesAny
          value={types.typed}
          onChange={(text) => types.type(text ?? '')}
          options={knownTypes.map((type) => ({ id: type, name: type }))}
        />
      </Filters>
      {project === all ? <OrgEvents {...shown} /> : <ProjectEvents {...shown} project={project} />}
    </Page>
  );
}

interface Shown {
  readonly org: string;
  readonly source: EventSource | null;
  readonly types: string[] | null;
  readonly follows: boolean;
  /** Names of projects by id. */
  readonly names: ReadonlyMap<string, string>;
}

function OrgEvents({ org, source, types, follows, names }: Shown) {
  const tail = useTail({
    variables: { org, source, types },
    query: LastOrgEventsDocument,
    page: ({ organization }) => organization?.events,
    feed: FollowOrgEventsDocument,
    event: ({ events: { cursor, reset, event } }) => ({ cursor, reset, node: event }),
    follows,
  });
  return <EventList org={org} tail={tail} names={names} />;
}

function ProjectEvents({ org, project, source, types, follows, names }: Shown & { readonly project: string }) {
  const tail = useTail({
    variables: { project, source, types },
    query: LastProjectEventsDocument,
    page: ({ project: found }) => found?.events,
    feed: FollowProjectEventsDocument,
    event: ({ events: { cursor, reset, event } }) => ({ cursor, reset, node: event }),
    follows,
  });
  return <EventList org={org} tail={tail} names={names} />;
}
