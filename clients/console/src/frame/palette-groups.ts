import {
  Building2,
  Database,
  Keyboard,
  LogOut,
  type LucideIcon,
  Monitor,
  Moon,
  Plus,
  Rocket,
  ScrollText,
  Sun,
  Table2,
  UserPlus,
} from 'lucide-react';
import type { SearchedEntry, SearchedGroup } from '../design/search-menu.tsx';
import { go } from '../router.tsx';
import { may, mayOn } from '../session/may.ts';
import { signOut } from '../session/session.ts';
import type { PlaceOrganizationFragment, PlaceProjectFragment } from './frame.graphql.ts';
import { organizationName } from './names.ts';
import { homeSection, installationSection, type NavigationItem, type NavigationSection } from './sections.ts';
import { chooseTheme } from './theme.ts';

/** An entry that leads to a page. */
const link = (id: string, name: string, icon: LucideIcon, to: string, more: Partial<SearchedEntry> = {}) => ({
  id,
  name,
  icon,
  act: () => go(to),
  ...more,
});

const entryOf = ({ name, to, icon, key, words }: NavigationItem, of: string): SearchedEntry =>
  link(`${of} ${to}`, name, icon, to, { words, ...(key === undefined ? {} : { keys: `G ${key.toUpperCase()}` }) });

/** A group for each section. */
export const pageGroups = (sections: readonly NavigationSection[]): readonly SearchedGroup[] =>
  sections.map(({ heading = 'Pages', items }) => ({ heading, entries: items.map((item) => entryOf(item, heading)) }));

/** Sections that lead away from where the address is. */
export const otherSections = (sections: readonly NavigationSection[]): readonly NavigationSection[] =>
  [homeSection, installationSection].filter((section) => !sections.includes(section));

export const tableEntry = (project: string, table: string): SearchedEntry =>
  link(`table ${table}`, table, Table2, `/projects/${project}/tables?${new URLSearchParams({ table })}`, {
    words: 'table',
  });

export const projectEntry = (id: string, name: string, organization?: string): SearchedEntry =>
  link(id, name, Database, `/projects/${id}`, {
    words: `project ${id}`,
    ...(organization === undefined ? {} : { about: organization }),
  });

export const organizationEntry = (id: string, name: string): SearchedEntry =>
  link(id, name, Building2, `/orgs/${id}`, { words: `organization ${id}` });

/** What is done from anywhere. */
export const commandEntries = (
  organization: PlaceOrganizationFragment | undefined,
  project: PlaceProjectFragment | undefined,
  showShortcuts: () => void,
): readonly SearchedEntry[] => [
  ...(project !== undefined && mayOn(project, 'project:sql')
    ? [
        link('new table', 'New table', Plus, `/projects/${project.projectId}/tables?dialog=new-table`, {
          words: 'create add',
          about: project.name,
        }),
      ]
    : []),
  ...(organization !== undefined && may(organization.role, 'org:members:write')
    ? [
        link('new member', 'Invite a member', UserPlus, `/orgs/${organization.orgId}?tab=members&new=member`, {
          words: 'add invitation',
          about: organizationName(organization),
        }),
      ]
    : []),
  ...(organization !== undefined && may(organization.role, 'project:create')
    ? [link('new project', 'New project', Plus, `/orgs/${organization.orgId}?new=project`, { words: 'create add' })]
    : []),
  link('new organization', 'New organization', Plus, '/orgs?new=organization', { words: 'create add team' }),
  { id: 'light', name: 'Light colours', icon: Sun, words: 'theme', act: () => chooseTheme('light') },
  { id: 'dark', name: 'Dark colours', icon: Moon, words: 'theme', act: () => chooseTheme('dark') },
  { id: 'system', name: 'System colours', icon: Monitor, words: 'theme', act: () => chooseTheme('system') },
  { id: 'keys', name: 'Keyboard shortcuts', icon: Keyboard, keys: '?', act: showShortcuts },
  { id: 'out', name: 'Sign out', icon: LogOut, act: () => void signOut() },
];

/** What an id leads to that somebody has copied from elsewhere. */
export function entriesById(text: string, project: string | undefined): readonly SearchedEntry[] {
  const id = text.trim();
  if (/^prj_\w+$/.test(id)) return [link('by project', id, Database, `/projects/${id}`, { about: 'Open the project' })];
  if (/^(trc|req)_\w+$/.test(id) && project !== undefined) {
    const logs = `/projects/${project}/logs?${new URLSearchParams({ request: id })}`;
    return [link('by request', id, ScrollText, logs, { about: 'Find the request in the logs' })];
  }
  if (/^op_\w+$/.test(id) && project !== undefined)
    return [link('by deploy', id, Rocket, `/projects/${project}/deploys/${id}`, { about: 'Open the deployment' })];
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id))
    return [link('by org', id, Building2, `/orgs/${id}`, { about: 'Open the organization' })];
  return [];
}
