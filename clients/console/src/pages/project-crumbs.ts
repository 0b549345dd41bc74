interface Owner {
  readonly orgId: string;
  readonly displayName: string | null;
}

/** The way to a project's pages, through its organization where that may be seen. */
export function projectCrumbs(
  owner: Owner | null | undefined,
  project?: { readonly projectId: string; readonly name: string } | null,
): readonly (readonly [name: string, to: string])[] {
  const crumbs: (readonly [string, string])[] = [['Organizations', '/orgs']];
  if (owner != null) crumbs.push([owner.displayName ?? 'Organization', `/orgs/${owner.orgId}`]);
  if (project != null) crumbs.push([project.name, `/projects/${project.projectId}`]);
  return crumbs;
}
