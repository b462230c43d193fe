/** What a version brings. */
export interface ChangelogSection {
  readonly version: string;
  /** `2026-11-21`, or undefined until it is released. */
  readonly date: string | undefined;
  /** Its entries, as they are written. */
  readonly notes: string;
}

/**
 * The sections of a changelog, the newest first.
 * @throws Error when a heading is no `## 1.2.3 / 2026-11-21` or `## 1.2.3 / unreleased`.
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
 * The notes of the release that a tag stands for.
 * @throws Error unless the tag is the version of the package, and the changelog's newest section is that version's and has a date.
 */
export function releaseNotes(tag: string, packageVersion: string, changelog: string): string {
  const refuse = (why: string) => new Error(`Cannot release "${tag}": ${why}`);
  if (tag !== `v${packageVersion}`)
    throw refuse(`package.json has version "${packageVersion}", whose tag is "v${packageVersion}"`);
  const [newest] = changelogSections(changelog);
  if (newest?.version !== packageVersion)
    throw refuse(`the newest section of CHANGELOG.md is "${newest?.version ?? ""}"`);
  if (newest.date === undefined) throw refuse("its section of CHANGELOG.md has no date yet");
  if (newest.notes === "") throw refuse("its section of CHANGELOG.md is empty");
  return newest.notes;
}
