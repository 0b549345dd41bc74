interface Owner {
  readonly orgId: string;
  readonly displayName: string | null;
}

/** Whose a project is. @param owner null for who has it by a grant, and sees no organization */
export const ownerName = (owner: Owner | null): string =>
  owner === null ? 'Shared with you' : (owner.displayName ?? 'Unnamed organization');

/** The way to a project's pages, through its organization where that may be seen. @param owner undefined until it is known */
export function projectCrumbs(
  owner: Owner | null | undefined,
  project?: { readonly projectId: string; readonly name: string } | null,
): readonly (readonly [name: string, to: string])[] {
  // What is shared is listed beside the organizations.
  const crumbs: (readonly [string, string])[] = [[owner === null ? ownerName(owner) : 'Organizations', '/orgs']];
  if (owner != null) crumbs.push([ownerName(owner), `/orgs/${owner.orgId}`]);
  if (project != null) crumbs.push([project.name, `/projects/${project.projectId}`]);
  return crumbs;
}
