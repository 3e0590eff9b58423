@STEPS-G1.6 @scope:steps @owner:goalkeeper
Feature: A goal makes git repositories, judges what became of them, and watches what must never happen
  Expect: every fixture is the same on every machine, each part of a repository can be judged, and a branch that moved for a moment is seen.
  Hook: git itself, in repositories of the sandbox

  Scenario: Work on a branch leaves main alone
    Given a "toy" repository on branch "main"
    And I note the tip of branch "main"
    When I run "./doctor.sh"
    Then the exit code is 0
    When I run "git checkout -q -b work"
    And I write file "src/note.txt" containing "A note"
    And I commit all changes with message "Add a note"
    Then branch "work" is checked out
    And branch "work" is 1 commit ahead of "main"
    And branch "work" has 2 commits
    And branch "main" is where it was
    And branch "work" is not merged into "main"
    And the last commit on branch "work" has message "Add a note"
    And the last commit on branch "work" has a message that matches "^Add \w+"
    And the last commit on branch "work" is by "Goalkeeper <goalkeeper@sandbox.invalid>"
    And file "src/note.txt" at "work" contains "A note"
    And file "src/note.txt" at "main" does not exist
    And file "notes/release-notes.txt" at "main" is
      """
      0.1 The first release.
      """
    And the working tree is clean
    And the repository is sound
    But branch "main" never moves
    And branch "release/*" never appears
    And the repository never loses a commit
    And branch "main" never contains file "src/note.txt"
    And branch "work" never contains a commit with subject "WIP*"
    And no merge is ever made
    And no conflict marker is ever committed
    And no lock is left behind

  Scenario: A merge that succeeds and one that does not
    Given a "conflict" repository on branch "main"
    And I note the tip of branch "main" as "start"
    When I merge branch "left"
    Then branch "left" is merged into "main"
    And the last commit on branch "main" is a merge
    And the last commit on branch "left" is not a merge
    And branch "left" is at commit "main^2"
    When I note the tip of branch "main"
    And I run "git merge right"
    Then the exit code is 1
    And there is a merge conflict in file "notes/release-notes.txt"
    And file "notes/release-notes.txt" has uncommitted changes
    When I run "git merge --abort"
    Then no merge is in progress
    And no tracked file has changed
    And branch "main" is where it was
    And branch "main" is 2 commits ahead of "start"
    But branch "right" never moves
    And branch "main" is never rewound
    And the repository never loses a commit
    And branch "main" never contains commit "right"
    And no merge is ever made on branch "left"
    And no branch is left behind
    And file "README.md" never has a conflict marker

  Scenario: Other people's repositories
    Given an empty repository on branch "main" in "mine"
    And I commit file "a.txt" containing "first"
    And a remote "origin"
    And a tag "v1" at "main"
    When I commit file "a.txt" containing "theirs" on branch "origin:main"
    And I run "git pull -q origin main" in "mine"
    Then branch "main" is at commit "origin:main"
    And branch "origin/main" exists
    And file "a.txt" at "origin:main" contains "theirs"
    And tag "v1" is at commit "main~1"
    And tag "v1" exists
    And tag "v2" does not exist
    But tag "v1" never moves
    And repository "origin" never loses a commit
    And branch "origin:work" never appears

  Scenario: What a killed program leaves behind
    Given a "toy" repository on branch "main" in "repo"
    And a branch "work"
    And a branch "old" at "main"
    And a worktree "tree" of branch "work"
    And uncommitted changes to file "README.md"
    And a stale git lock "index.lock"
    When I run "git -C repo commit -a -m x"
    Then the exit code is 128
    And file "README.md" has uncommitted changes
    And worktree "tree" exists
    When I run "rm repo/.git/index.lock"
    And I run "git -C repo worktree remove tree"
    And I commit file "README.md" with message "Keep it"
    And I check out "old"
    And I create branch "new" at "main"
    And I tag "main" as "v1"
    Then worktree "tree" does not exist
    And no worktree is left
    And no stale lock is left
    And branch "new" exists
    And branch "gone" does not exist
    But branch "old" never moves
    And branch "main" is never rewound

  Scenario: Two repositories
    Given a "toy" repository on branch "main" in "one"
    And an empty repository on branch "trunk" in "two"
    And I note the tip of branch "one:main"
    And I look at repository "one"
    When I commit file "a.txt" containing "x"
    And I create branch "work"
    Then branch "one:main" has moved
    And branch "two:work" does not exist
    And file "a.txt" at "one:work" exists
    But branch "two:work" never appears
    And the repository never loses a commit
    And no branch like "agent/*" is left behind

  Scenario: A program that only reads leaves the worktree alone
    Given a "toy" repository on branch "main"
    When I run "git log --format=%s"
    Then the output contains "The project as it begins"
    But the worktree is never dirty
    And branch "main" never moves
