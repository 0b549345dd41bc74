import { useState } from 'react';
import { Dialog } from 'react-aria-components/Dialog';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { type SearchedGroup, SearchMenu } from '../design/search-menu.tsx';
import { useAsk } from '../graph/use-live-query.ts';
import { mayOn } from '../session/may.ts';
import { useStore } from '../store.ts';
import { pageCommands } from './commands.ts';
import { OrganizationChoicesDocument, ProjectChoicesDocument, TableChoicesDocument } from './frame.graphql.ts';
import { organizationName } from './names.ts';
import {
  commandEntries,
  entriesById,
  organizationEntry,
  otherSections,
  pageGroups,
  projectEntry,
  tableEntry,
} from './palette-groups.ts';
import { managementSection } from './sections.ts';
import type { Surroundings } from './use-sections.ts';

interface PaletteProps {
  readonly isOpen: boolean;
  readonly close: () => void;
  readonly around: Surroundings;
  readonly showShortcuts: () => void;
}

/** Finds pages, organizations, projects, tables and commands by name, from anywhere. */
export function Palette({ isOpen, close, ...rest }: PaletteProps) {
  return (
    <ModalOverlay className="veil" isOpen={isOpen} onOpenChange={(open) => !open && close()} isDismissable>
      <Modal className="modal palette">
        <Dialog aria-label="Search or run a command">{isOpen && <Choices {...rest} close={close} />}</Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function Choices({ close, around, showShortcuts }: Omit<PaletteProps, 'isOpen'>) {
  const [text, setText] = useState('');
  const commands = useStore(pageCommands).flat();
  const organizations = useAsk(OrganizationChoicesDocument, {}).data?.organizations?.edges ?? [];
  const projects = useAsk(ProjectChoicesDocument, {}).data?.projects?.edges ?? [];
  const { place, project, organization, sections } = around;
  const seesTables = project !== undefined && mayOn(project, 'project:schema:read');
  const tables = useAsk(TableChoicesDocument, seesTables ? { project: project.projectId } : undefined).data?.project
    ?.tables;
  const groups: readonly SearchedGroup[] = [
    { heading: 'By its id', entries: entriesById(text, project?.projectId) },
    { heading: 'On this page', entries: commands },
    ...pageGroups(sections),
    ...pageGroups(place.kind === 'project' && organization !== undefined ? [managementSection(organization)] : []),
    { heading: 'Tables', entries: (tables ?? []).map(({ name }) => tableEntry(project!.projectId, name)) },
    {
      heading: 'Projects',
      entries: projects.map(({ node: { projectId, name, organization: owner } }) =>
        projectEntry(projectId, name, owner === null ? undefined : organizationName(owner)),
      ),
    },
    {
      heading: 'Organizations',
      entries: organizations.map(({ node }) => organizationEntry(node.orgId, organizationName(node))),
    },
    { heading: 'Commands', entries: commandEntries(organization, project, showShortcuts) },
    ...pageGroups(otherSections(sections)),
  ];
  return <SearchMenu label="Search or run a command" groups={groups} onSearch={setText} close={close} />;
}
