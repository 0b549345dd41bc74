import { Building2, ChevronsUpDown, Database, List, Plus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { DialogTrigger } from 'react-aria-components/Dialog';
import { Popover } from 'react-aria-components/Popover';
import { type SearchedGroup, SearchMenu } from '../design/search-menu.tsx';
import { Avatar } from '../design/status.tsx';
import { useAsk } from '../graph/use-live-query.ts';
import { go } from '../router.tsx';
import { may } from '../session/may.ts';
import { OrganizationChoicesDocument, ProjectChoicesDocument } from './frame.graphql.ts';
import { organizationName } from './names.ts';
import type { Surroundings } from './use-sections.ts';

/** The organization and the project of the address. Each leads to the others that the member has. */
export function Switchers({ around: { place, organization, project } }: { readonly around: Surroundings }) {
  const isShared = project !== undefined && organization === undefined;
  return (
    <div className="switchers">
      <span className="slash" aria-hidden="true" />
      <Switcher
        label="Organization"
        name={isShared ? 'Shared with you' : organization && organizationName(organization)}
        placeholder="Choose an organization"
        choices={(close) => <OrganizationChoices current={organization?.orgId} close={close} />}
      />
      {(organization !== undefined || place.kind === 'project') && (
        <>
          <span className="slash" aria-hidden="true" />
          <Switcher
            label="Project"
            name={project?.name}
            placeholder="Choose a project"
            choices={(close) => (
              <ProjectChoices organization={organization} current={project?.projectId} close={close} />
            )}
          />
        </>
      )}
    </div>
  );
}

interface SwitcherProps {
  readonly label: string;
  /** Of what is chosen. */
  readonly name: string | undefined;
  readonly placeholder: string;
  readonly choices: (close: () => void) => ReactNode;
}

function Switcher({ label, name, placeholder, choices }: SwitcherProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <DialogTrigger isOpen={isOpen} onOpenChange={setOpen}>
      <Button className="switcher" aria-label={`${label}: ${name ?? placeholder}`}>
        {name !== undefined && <Avatar name={name} square={label === 'Organization'} />}
        <span className={name === undefined ? 'switcher-name quiet' : 'switcher-name'}>{name ?? placeholder}</span>
        <ChevronsUpDown className="icon" aria-hidden="true" />
      </Button>
      {/* Without an element of its own for the dialog, the popover is it, with the button that closes it for screen readers. */}
      <Popover className="popover switcher-choices">{choices(() => setOpen(false))}</Popover>
    </DialogTrigger>
  );
}

interface OrganizationChoicesProps {
  readonly current: string | undefined;
  readonly close: () => void;
}

function OrganizationChoices({ current = '', close }: OrganizationChoicesProps) {
  const { data } = useAsk(OrganizationChoicesDocument, {});
  const groups: readonly SearchedGroup[] = [
    {
      selected: current,
      entries: (data?.organizations?.edges ?? []).map(({ node }) => ({
        id: node.orgId,
        name: organizationName(node),
        icon: Building2,
        words: node.orgId,
        act: () => go(`/orgs/${node.orgId}`),
      })),
    },
    {
      entries: [
        { id: 'all', name: 'All organizations', icon: List, act: () => go('/orgs') },
        { id: 'new', name: 'New organization', icon: Plus, act: () => go('/orgs?new=organization') },
      ],
    },
  ];
  return <SearchMenu label="Find an organization" groups={groups} close={close} />;
}

interface ProjectChoicesProps {
  /** Absent for a guest of the project, who sees the projects that were shared. */
  readonly organization: Surroundings['organization'];
  readonly current: string | undefined;
  readonly close: () => void;
}

function ProjectChoices({ organization, current = '', close }: ProjectChoicesProps) {
  const { data } = useAsk(ProjectChoicesDocument, {});
  const projects = (data?.projects?.edges ?? []).map(({ node }) => node);
  const entriesOf = (chosen: typeof projects) =>
    chosen.map(({ projectId, name, organization: owner }) => ({
      id: projectId,
      name,
      icon: Database,
      words: `${projectId} ${owner?.displayName ?? ''}`,
      act: () => go(`/projects/${projectId}`),
    }));
  const isHere = ({ organization: owner }: (typeof projects)[number]) => owner?.orgId === organization?.orgId;
  const groups: readonly SearchedGroup[] = [
    { selected: current, entries: entriesOf(projects.filter(isHere)) },
    { heading: 'Elsewhere', entries: entriesOf(projects.filter((project) => !isHere(project))) },
    {
      entries: [
        ...(organization !== undefined && may(organization.role, 'project:create')
          ? [{ id: 'new', name: 'New project', icon: Plus, act: () => go(`/orgs/${organization.orgId}?new=project`) }]
          : []),
        {
          id: 'all',
          name: 'All projects',
          icon: List,
          act: () => go(organization === undefined ? '/orgs' : `/orgs/${organization.orgId}`),
        },
      ],
    },
  ];
  return <SearchMenu label="Find a project" groups={groups} close={close} />;
}
