/** What resources begin with that are globs over the paths of a repository. Contract 02, section 2.7. */
export const globPrefix = 'repo:';

export const isGlob = (resource: string): boolean => resource.startsWith(globPrefix);

/** The glob of a resource that is one. */
export const globOf = (resource: string): string => resource.slice(globPrefix.length);
