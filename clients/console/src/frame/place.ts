import { match } from '../router.tsx';

/** The part of the console that an address belongs to. It decides the pages that the sidebar lists. */
export type Place =
  | { readonly kind: 'home' | 'installation' }
  | { readonly kind: 'organization'; readonly org: string }
  | { readonly kind: 'project'; readonly project: string };

/** The key of a project's own room is the id of the project, so that room is a page of the project. */
const isProject = (room: string): boolean => room.startsWith('prj_');

/** @param path of the page, relative to the console's base */
export function placeOf(path: string): Place {
  const [, first, , third] = path.split('/');
  const beginning = path.split('/').slice(0, 3).join('/');
  const project = match('/projects/:project', beginning)?.project;
  if (project !== undefined) return { kind: 'project', project };
  const org = match('/orgs/:org', beginning)?.org;
  if (org !== undefined) {
    const room = third === 'rooms' ? match('/orgs/:org/rooms/:room', path)?.room : undefined;
    return room !== undefined && isProject(room) ? { kind: 'project', project: room } : { kind: 'organization', org };
  }
  return { kind: first === 'installation' || first === 'audits' ? 'installation' : 'home' };
}
