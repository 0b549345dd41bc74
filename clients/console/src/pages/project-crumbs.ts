interface Owner {
  readonly orgId: string;
  readonly displayName: string | null;
}

/** Names the owner of a project. @param owner null for a caller with a grant, who cannot see the organization */
export const ownerName = (owner: Owner | null): string =>
  owner === null ? 'Shared with you' : (owner.displayName ?? 'Unnamed organization');

/**
 * Breadcrumbs of a project's pages, through its organization if the caller may see it. @param owner undefined until
 * loaded
 */
export function projectCrumbs(
  owner: Owner | null | undefined,
  project?: { readonly projectId: string; readonly name: string } | null,
): readonly (readonly [name: string, to: string])[] {
  // Shared projects are listed beside the organizations.
  const crumbs: (readonly [string, string])[] = [[owner === null ? ownerName(owner) : 'Organizations', '/orgs']];
  if (owner != null) crumbs.push([ownerName(owner), `/orgs/${owner.orgId}`]);
  if (project != null) crumbs.push([project.name, `/projects/${project.projectId}`]);
  return crumbs;
}
