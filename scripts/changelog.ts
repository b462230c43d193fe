/** The section of one version. */
export interface ChangelogSection {
  readonly version: string;
  /** `2026-11-21`; undefined until the version is released. */
  readonly date: string | undefined;
  /** The entries as written. */
  readonly notes: string;
}

/**
 * Reads the sections of a changelog, newest first.
 * @throws Error if a heading is neither `## 1.2.3 / 2026-11-21` nor `## 1.2.3 / unreleased`.
 */
export function changelogSections(text: string): readonly ChangelogSection[] {
  const [, ...sections] = text.split(/^## /m);
  return sections.map((section) => {
    const [heading = "", ...lines] = section.split("\n");
    const match = /^(\d+\.\d+\.\d+) \/ (\d{4}-\d{2}-\d{2}|unreleased)$/.exec(heading);
    const [, version, date] = match ?? [];
    if (version === undefined || date === undefined) {
      throw new Error(
        `Cannot read the changelog: heading "${heading}" is not "1.2.3 / 2026-11-21" or "1.2.3 / unreleased"`,
      );
    }
    return { version, date: date === "unreleased" ? undefined : date, notes: lines.join("\n").trim() };
  });
}

/**
 * Returns the release notes for a tag.
 * @throws Error unless the tag matches the version of the package, and the newest section of the changelog
 * has that version and a date.
 */
export function releaseNotes(tag: string, packageVersion: string, changelog: string): string {
  const refuse = (why: string) => new Error(`Cannot release "${tag}": ${why}`);
  if (tag !== `v${packageVersion}`)
    throw refuse(`package.json has version "${packageVersion}", which needs the tag "v${packageVersion}"`);
  const [newest] = changelogSections(changelog);
  if (newest?.version !== packageVersion)
    throw refuse(`the newest section of CHANGELOG.md is "${newest?.version ?? ""}"`);
  if (newest.date === undefined) throw refuse("its section of CHANGELOG.md has no date yet");
  if (newest.notes === "") throw refuse("its section of CHANGELOG.md is empty");
  return newest.notes;
}
