import type { KeyRing } from '../../../core/keys.ts';

/** A domain of a project, whichever organization the project is of. */
interface KeyOwner {
  readonly projectId: string;
  readonly name: string;
}

const contextOf = ({ projectId, name }: KeyOwner): string => `${projectId}/${name}`;

/** Seals the private half of a domain's key. @param privateKey PEM */
export const sealDkimKey = (keys: KeyRing, owner: KeyOwner, privateKey: string): Buffer =>
  keys.seal('dkim-keys', Buffer.from(privateKey), contextOf(owner));

/** @returns PEM. @throws when it was sealed for another domain or project */
export const openDkimKey = (keys: KeyRing, owner: KeyOwner, sealed: Uint8Array): string =>
  keys.open('dkim-keys', sealed, contextOf(owner)).toString();
