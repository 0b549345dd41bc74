import { textFault } from '../../core/text.ts';
import type { ProjectKeyCaller } from '../access/caller.ts';

/** As what a project was called. */
export type CalledAs = 'anon' | 'authenticated' | 'service' | 'member' | 'guest' | 'delegate' | 'admin';

/**
 * Which project a request is counted for, and as what it was called. The stage that finds that out says so here. A request
 * is of one project, the first that is known to be its.
 */
export class Subject {
  /** Undefined: it is of no project. */
  projectId: string | undefined;
  /** Whether a project was found by this id, and its caller let in; else a client has named it. */
  isKnown = false;
  /** `project`: a door of the project's own. `operation`: one of the platform, which may serve several projects. */
  door: 'project' | 'operation' = 'project';
  calledAs: CalledAs | undefined;
  /** Code of the refusal. */
  code: string | undefined;
  /** Where its answer is a status of success all the same, as in GraphQL: the status that the code has elsewhere. */
  status: number | undefined;

  /** A client has named the project; what cannot be an id names none. */
  name(projectId: string, door: Subject['door'] = 'project'): void {
    if (this.isKnown || !mayBeId(projectId)) return;
    this.projectId = projectId;
    this.door = door;
  }

  /** The client was let in to the project. */
  admit(projectId: string, calledAs: CalledAs, door: Subject['door'] = 'project'): void {
    if (this.isKnown) return;
    this.projectId = projectId;
    this.door = door;
    this.calledAs = calledAs;
    this.isKnown = true;
  }

  /** The project's own user turned out to ask. */
  becomeUser(): void {
    this.calledAs = 'authenticated';
  }

  /** The first errors of an answer that has a status of success. */
  refuse(code: string, status: number): void {
    this.code ??= code;
    this.status ??= status;
  }
}

/** Longest id that a client may name a project by, in characters. */
const idMax = 64;

/** Whether a text that a client sent as an id of a project can be looked for at all. */
export const mayBeId = (text: string): boolean => text.length <= idMax && textFault(text) === undefined;

/** As what a key of a project calls. */
export const calledByKey = (role: ProjectKeyCaller['role']): CalledAs => (role === 'service_role' ? 'service' : 'anon');
