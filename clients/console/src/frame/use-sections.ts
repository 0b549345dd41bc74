import { useAsk } from '../graph/use-live-query.ts';
import {
  PlaceOfOrganizationDocument,
  PlaceOfProjectDocument,
  type PlaceOrganizationFragment,
  type PlaceProjectFragment,
} from './frame.graphql.ts';
import { type Place, placeOf } from './place.ts';
import {
  coordinationSection,
  homeSection,
  installationSection,
  managementSection,
  type NavigationSection,
  projectSection,
} from './sections.ts';

/** Where the address is, with what is known of it. */
export interface Surroundings {
  readonly place: Place;
  /** Undefined until loaded, and outside of projects. */
  readonly project: PlaceProjectFragment | undefined;
  /** Undefined until loaded, outside of organizations, and for a guest who cannot see the organization. */
  readonly organization: PlaceOrganizationFragment | undefined;
  /** Sections of the sidebar. Empty until loaded. */
  readonly sections: readonly NavigationSection[];
}

/** The project and the organization of an address, and the pages around it. */
export function useSurroundings(path: string): Surroundings {
  const place = placeOf(path);
  const asked = useAsk(PlaceOfProjectDocument, place.kind === 'project' ? { project: place.project } : undefined);
  const owner = useAsk(PlaceOfOrganizationDocument, place.kind === 'organization' ? { org: place.org } : undefined);
  const project = place.kind === 'project' ? (asked.data?.project ?? undefined) : undefined;
  const organization =
    place.kind === 'organization' ? (owner.data?.organization ?? undefined) : (project?.organization ?? undefined);
  const { data, error } = place.kind === 'project' ? asked : owner;
  const isAnswered = data !== undefined || error !== undefined;
  const known = sectionsOf(place, project, organization);
  // What is not there, or nobody may see, has no pages of its own.
  return { place, project, organization, sections: isAnswered && known.length === 0 ? [homeSection] : known };
}

/** @returns none while they are not known */
function sectionsOf(
  { kind }: Place,
  project: PlaceProjectFragment | undefined,
  organization: PlaceOrganizationFragment | undefined,
): readonly NavigationSection[] {
  if (kind === 'project') {
    if (project === undefined) return [];
    const around = organization === undefined ? [] : [coordinationSection(organization)];
    return [projectSection(project), ...around];
  }
  if (kind === 'organization')
    return organization === undefined ? [] : [coordinationSection(organization), managementSection(organization)];
  return kind === 'installation' ? [homeSection, installationSection] : [homeSection];
}
