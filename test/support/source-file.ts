import { posix } from "node:path";

import ts from "typescript";

export interface SourceText {
  /** From the root of the repository, with slashes. */
  readonly path: string;
  readonly text: string;
}

export interface Import {
  /** As it is written. */
  readonly specifier: string;
  /** A path of the repository if the specifier is relative. */
  readonly target: string | undefined;
  readonly line: number;
  /** Names of the imported values; `*` for all of them. Empty for an import of types only. */
  readonly values: readonly string[];
  /** Whether type stripping removes the import; it keeps `import { type A }`, which loads the module. */
  readonly erased: boolean;
}

/** Every static and dynamic import and re-export of a file, imports of types included. */
export function importsOf({ path, text }: SourceText): readonly Import[] {
  const source = parse(path, text);
  const found: Import[] = [];
  const add = (specifier: ts.Node | undefined, values: readonly string[], erased = false): void => {
    if (!specifier || !ts.isStringLiteralLike(specifier)) return;
    const target = specifier.text.startsWith(".")
      ? posix.join(posix.dirname(path), specifier.text)
      : undefined;
    found.push({ specifier: specifier.text, target, line: lineOf(source, specifier), values, erased });
  };
  visit(source, (node) => {
    if (ts.isImportDeclaration(node)) {
      const clause = node.importClause;
      add(node.moduleSpecifier, importedValues(clause), clause?.phaseModifier === ts.SyntaxKind.TypeKeyword);
    } else if (ts.isExportDeclaration(node))
      add(node.moduleSpecifier, reexportedValues(node), node.isTypeOnly);
    else if (ts.isCallExpression(node) && isLoader(node.expression)) add(node.arguments[0], ["*"]);
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument))
      add(node.argument.literal, [], true);
  });
  return found;
}

function parse(path: string, text: string): ts.SourceFile {
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
}

function visit(node: ts.Node, see: (node: ts.Node) => void): void {
  see(node);
  ts.forEachChild(node, (child) => visit(child, see));
}

function lineOf(source: ts.SourceFile, node: ts.Node): number {
  return source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
}

function importedValues(clause: ts.ImportClause | undefined): readonly string[] {
  if (!clause) return ["*"]; // An import for its side effects.
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return [];
  const bindings = clause.namedBindings;
  const rest =
    bindings === undefined ? [] : ts.isNamedImports(bindings) ? valueNames(bindings.elements) : ["*"];
  return clause.name ? ["default", ...rest] : rest;
}

function reexportedValues({ isTypeOnly, exportClause }: ts.ExportDeclaration): readonly string[] {
  if (isTypeOnly) return [];
  return exportClause && ts.isNamedExports(exportClause) ? valueNames(exportClause.elements) : ["*"];
}

function valueNames(elements: readonly (ts.ImportSpecifier | ts.ExportSpecifier)[]): readonly string[] {
  return elements
    .filter((element) => !element.isTypeOnly)
    .map((element) => (element.propertyName ?? element.name).text);
}

function isLoader(callee: ts.Expression): boolean {
  return (
    callee.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(callee) && callee.text === "require")
  );
}
