import { FileError } from "./file-error.ts";

/** Runs work on the files of a folder. Rejects with a FileError when that work, or earlier work there, hangs. */
export type HangGuard = <Result>(folder: string, work: () => Promise<Result>) => Promise<Result>;

/**
 * Keeps files that hang, as on a dead network mount, from blocking anything else. A read that hangs occupies one of
 * the four threads that compression and DNS need as well, and cannot be cancelled. So each folder has one thread at a
 * time, all folders together have two, and nothing more is begun in a folder that hangs.
 */
export function createHangGuard(deadlineMs = 5000): HangGuard {
  const folders = new Map<string, Folder>();
  const busy = new Set<Folder>();

  function next(): void {
    for (const [path, folder] of folders) {
      if (busy.size === MOST_THREADS) return;
      if (busy.has(folder)) continue;
      const task = folder.waiting.shift();
      // The folder that was served last is the last in turn.
      folders.delete(path);
      if (!task) continue;
      folders.set(path, folder);
      void run(folder, task);
    }
  }

  async function run(folder: Folder, task: Task): Promise<void> {
    busy.add(folder);
    const timer = setTimeout(() => {
      folder.hangs = true;
      task.fail(new FileError(`could not be read within ${deadlineMs / 1000} s`));
      for (const other of folders.values()) {
        if (isRefused(other)) for (const { fail } of other.waiting.splice(0)) fail(refusal());
      }
    }, deadlineMs);
    await task.run();
    clearTimeout(timer);
    busy.delete(folder);
    folder.hangs = false;
    next();
  }

  /** Whether a folder hangs, or all threads do. */
  function isRefused({ hangs }: Folder): boolean {
    return hangs || [...busy].filter((folder) => folder.hangs).length === MOST_THREADS;
  }

  return (path, work) =>
    new Promise((resolve, reject) => {
      const folder = folders.get(path) ?? { waiting: [], hangs: false };
      if (isRefused(folder)) return reject(refusal());
      folders.set(path, folder);
      folder.waiting.push({ run: () => work().then(resolve, reject), fail: reject });
      next();
    });
}

const MOST_THREADS = 2;

interface Folder {
  readonly waiting: Task[];
  hangs: boolean;
}

interface Task {
  readonly run: () => Promise<void>;
  readonly fail: (error: Error) => void;
}

function refusal(): FileError {
  return new FileError("is not read while another file hangs, as on a dead network mount");
}
