"""fus over HTTP."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Query, UploadFile
from fastapi.responses import StreamingResponse

from partita.apps.fus import views
from partita.apps.fus.inputs import (
    CommentInput,
    GroupEdit,
    NewGroup,
    NewSite,
    RatingInput,
    SiteEdit,
    Wanted,
)
from partita.apps.fus.permissions import Fus
from partita.apps.fus.service import FusService
from partita.apps.fus.tags import wanted_tags
from partita.apps.fus.transfer import MOST_BYTES, Format
from partita.apps.fus.transfer.files import content_types, download
from partita.kit.answers import Cursor, Json, Limit, listed
from partita.kit.permissions import Access
from partita.kit.problems import NotFound
from partita.kit.routes import CurrentViewer, Routes

Words = Annotated[str, Query(max_length=200, description="Words to search for; the last may be unfinished.")]
TagsWanted = Annotated[
    list[str], Query(max_length=20, description="Only sites with these tags: repeated, or with commas between them.")
]
TagMode = Annotated[Literal["and", "or"], Query(description="Whether all of the tags are wanted, or any.")]
Sorted = Annotated[
    Literal["newest", "rating", "title"],
    Query(description="The order; what words find comes with the best match first, whatever is said here."),
]
FileFormat = Annotated[Format, Query(description="Bookmarks as browsers keep them, a spreadsheet, or JSON.")]


def routes(service: FusService) -> Routes:
    """The API."""
    api = Routes("/api/fus", tag="fus")

    # -- sites

    @api.get("/sites", Access.PUBLIC, response_model=views.SiteList, refuses=[400, 422])
    async def browse(
        q: Words = "",
        tags: TagsWanted = [],  # noqa: B006 - FastAPI reads the default and leaves it alone
        tag_mode: TagMode = "and",
        sort: Sorted = "newest",
        limit: Limit = 20,
        cursor: Cursor = None,
    ) -> Json:
        """Sites: newest, best rated or by title, with all words of `q` and all (or any) of the tags."""
        page = await service.catalog.browse(
            text=q, tags=wanted_tags(tags), mode=tag_mode, sort=sort, limit=limit, cursor=cursor
        )
        return listed([views.summary(each.site) for each in page.found], page.next_cursor)

    @api.post("/sites", Fus.CREATE, status_code=201, response_model=views.SiteDetail, refuses=[409, 422, 429])
    async def add(viewer: CurrentViewer, site: NewSite) -> Json:
        """Add a site. What is left out is taken from its page; where that cannot be read, `fetchNote` says why."""
        made = await service.sites.add(viewer, site)
        return Json(views.detail(made), 201, {"Location": f"/api/fus/sites/{made.site_id}"})

    @api.post("/sites/preview", Fus.CREATE, response_model=views.PreviewView, refuses=[422, 429])
    async def preview(viewer: CurrentViewer, wanted: Wanted) -> Json:
        """Look at a page without saving anything."""
        return Json(views.preview(await service.sites.preview(viewer, wanted.url)))

    @api.get("/sites/{site_id}", Access.PUBLIC, response_model=views.SiteDetail, refuses=[404])
    async def site(site_id: str) -> Json:
        """A site."""
        return Json(views.detail(await service.sites.site(site_id)))

    @api.patch("/sites/{site_id}", Fus.EDIT, response_model=views.SiteDetail, refuses=[400, 404, 409, 422, 429])
    async def edit(viewer: CurrentViewer, site_id: str, edit: SiteEdit) -> Json:
        """Change a site; what is left out stays."""
        return Json(views.detail(await service.sites.edit(viewer, site_id, edit)))

    @api.delete("/sites/{site_id}", Fus.DELETE, status_code=204, refuses=[404, 409])
    async def delete(viewer: CurrentViewer, site_id: str) -> None:
        """Remove a site with its tags, ratings and comments."""
        await service.sites.delete(viewer, site_id)

    @api.get("/tags", Access.PUBLIC, response_model=views.TagList, refuses=[400, 422])
    async def tags(
        sort: Annotated[Literal["popular", "name"], Query(description="The order.")] = "popular",
        start: Annotated[str, Query(max_length=40, description="Only tags that start like this, by name.")] = "",
        limit: Limit = 50,
        cursor: Cursor = None,
    ) -> Json:
        """Tags with the number of sites that have them."""
        if sort == "name" or start:
            page = await service.catalog.tags(start=start.lower(), limit=limit, cursor=cursor)
        else:
            page = await service.catalog.popular_tags(limit=limit, cursor=cursor)
        return listed([views.tag(total) for total in page], page.next_cursor)

    # -- ratings

    @api.get("/sites/{site_id}/rating", Access.SIGNED_IN, response_model=views.MyRating, refuses=[404])
    async def my_rating(viewer: CurrentViewer, site_id: str) -> Json:
        """Your rating of a site."""
        rating = await service.ratings.mine(viewer, site_id)
        if rating is None:
            raise NotFound("You have not rated this site.")
        return Json(views.my_rating(rating))

    @api.put("/sites/{site_id}/rating", Fus.RATE, response_model=views.MyRating, refuses=[404, 409, 422])
    async def rate(viewer: CurrentViewer, site_id: str, rating: RatingInput) -> Json:
        """Give a site one to five stars, and keep a note for yourself."""
        return Json(views.my_rating(await service.ratings.rate(viewer, site_id, rating)))

    @api.delete("/sites/{site_id}/rating", Fus.RATE, status_code=204, refuses=[404, 409])
    async def remove_rating(viewer: CurrentViewer, site_id: str) -> None:
        """Take your rating back."""
        await service.ratings.remove(viewer, site_id)

    @api.get("/me/ratings", Access.SIGNED_IN, response_model=views.MyRatingList, refuses=[400, 422])
    async def my_ratings(viewer: CurrentViewer, limit: Limit = 20, cursor: Cursor = None) -> Json:
        """Everything you have rated, newest first."""
        page = await service.ratings.my_ratings(viewer, limit=limit, cursor=cursor)
        return listed([views.my_rated_site(each) for each in page.entries], page.next_cursor)

    @api.get("/ratings", Access.PUBLIC, response_model=views.GivenStarsList, refuses=[400, 422])
    async def ratings(
        stars: Annotated[int, Query(ge=1, le=5, description="How many stars.")],
        limit: Limit = 20,
        cursor: Cursor = None,
    ) -> Json:
        """Who gave so many stars to what."""
        page = await service.ratings.with_stars(stars, limit=limit, cursor=cursor)
        return listed([views.given_stars(each) for each in page.entries], page.next_cursor)

    # -- comments

    @api.get("/sites/{site_id}/comments", Access.PUBLIC, response_model=views.CommentList, refuses=[400, 404, 422])
    async def comments(
        site_id: str,
        sort: Annotated[Literal["oldest", "newest"], Query(description="The order.")] = "oldest",
        limit: Limit = 20,
        cursor: Cursor = None,
    ) -> Json:
        """What people say about a site."""
        page = await service.comments.of_site(site_id, newest_first=sort == "newest", limit=limit, cursor=cursor)
        return listed([views.comment(each) for each in page.entries], page.next_cursor)

    @api.post(
        "/sites/{site_id}/comments",
        Fus.COMMENT,
        status_code=201,
        response_model=views.CommentView,
        refuses=[404, 422, 429],
    )
    async def write_comment(viewer: CurrentViewer, site_id: str, comment: CommentInput) -> Json:
        """Say something about a site."""
        return Json(views.comment(await service.comments.write(viewer, site_id, comment)), 201)

    @api.patch(
        "/sites/{site_id}/comments/{comment_id}",
        Fus.COMMENT,
        response_model=views.CommentView,
        refuses=[404, 422],
    )
    async def edit_comment(viewer: CurrentViewer, site_id: str, comment_id: str, comment: CommentInput) -> Json:
        """Change a comment of yours."""
        return Json(views.comment(await service.comments.edit(viewer, site_id, comment_id, comment)))

    @api.delete("/sites/{site_id}/comments/{comment_id}", Access.SIGNED_IN, status_code=204, refuses=[403, 404, 409])
    async def delete_comment(viewer: CurrentViewer, site_id: str, comment_id: str) -> None:
        """Remove a comment: your own, or anybody's where you may moderate."""
        await service.comments.delete(viewer, site_id, comment_id)

    @api.get("/me/comments", Access.SIGNED_IN, response_model=views.MyCommentList, refuses=[400, 422])
    async def my_comments(viewer: CurrentViewer, limit: Limit = 20, cursor: Cursor = None) -> Json:
        """Everything you have said, newest first."""
        page = await service.comments.mine(viewer, limit=limit, cursor=cursor)
        return listed([views.my_comment(each) for each in page.entries], page.next_cursor)

    # -- groups

    @api.get("/groups", Fus.MANAGE_GROUPS, response_model=views.GroupList, refuses=[400, 422])
    async def groups(limit: Limit = 20, cursor: Cursor = None) -> Json:
        """All groups, by name."""
        page = await service.groups.groups(limit=limit, cursor=cursor)
        return listed([views.group(each) for each in page], page.next_cursor)

    @api.post("/groups", Fus.MANAGE_GROUPS, status_code=201, response_model=views.GroupView, refuses=[409, 422])
    async def create_group(viewer: CurrentViewer, group: NewGroup) -> Json:
        """Make a group that grants permissions you hold."""
        made = await service.groups.create(viewer, group)
        return Json(views.group(made), 201, {"Location": f"/api/fus/groups/{made.name}"})

    @api.get("/permissions", Fus.MANAGE_GROUPS, response_model=views.Permissions)
    async def permissions() -> Json:
        """Every permission of the suite that a group could grant."""
        return Json({"items": sorted(service.groups.permissions)})

    @api.get("/groups/{name}", Fus.MANAGE_GROUPS, response_model=views.GroupView, refuses=[404])
    async def group(name: str) -> Json:
        """A group."""
        return Json(views.group(await service.groups.group(name)))

    @api.patch("/groups/{name}", Fus.MANAGE_GROUPS, response_model=views.GroupView, refuses=[400, 404, 409, 422])
    async def edit_group(viewer: CurrentViewer, name: str, edit: GroupEdit) -> Json:
        """Change what a group grants; what is left out stays."""
        return Json(views.group(await service.groups.edit(viewer, name, edit)))

    @api.delete("/groups/{name}", Fus.MANAGE_GROUPS, status_code=204, refuses=[404, 409])
    async def delete_group(viewer: CurrentViewer, name: str) -> None:
        """Delete a group; it grants nothing from this moment on."""
        await service.groups.delete(viewer, name)

    @api.get("/groups/{name}/log", Fus.MANAGE_GROUPS, response_model=views.GroupLogList, refuses=[400, 422])
    async def group_log(name: str, limit: Limit = 20, cursor: Cursor = None) -> Json:
        """What was done to a group and its members, newest first."""
        page = await service.groups.log(name, limit=limit, cursor=cursor)
        return listed([views.log_entry(each.entry) for each in page.entries], page.next_cursor)

    @api.get("/groups/{name}/members", Fus.MANAGE_GROUPS, response_model=views.MemberList, refuses=[400, 404, 422])
    async def members(name: str, limit: Limit = 20, cursor: Cursor = None) -> Json:
        """Who is in a group."""
        page = await service.groups.members(name, limit=limit, cursor=cursor)
        return listed([views.member(each) for each in page.entries], page.next_cursor)

    @api.get("/groups/{name}/members/{user_id}", Fus.MANAGE_GROUPS, response_model=views.MemberView, refuses=[404])
    async def member(name: str, user_id: str) -> Json:
        """One member."""
        return Json(views.member(await service.groups.member(name, user_id)))

    @api.put("/groups/{name}/members/{user_id}", Fus.MANAGE_GROUPS, response_model=views.MemberView, refuses=[404, 409])
    async def add_member(viewer: CurrentViewer, name: str, user_id: str) -> Json:
        """Put somebody into a group."""
        return Json(views.member(await service.groups.add_member(viewer, name, user_id)))

    @api.delete("/groups/{name}/members/{user_id}", Fus.MANAGE_GROUPS, status_code=204, refuses=[404, 409])
    async def remove_member(viewer: CurrentViewer, name: str, user_id: str) -> None:
        """Take somebody out of a group."""
        await service.groups.remove_member(viewer, name, user_id)

    @api.get("/me/groups", Access.SIGNED_IN, response_model=views.GroupList, refuses=[400, 422])
    async def my_groups(viewer: CurrentViewer, limit: Limit = 20, cursor: Cursor = None) -> Json:
        """The groups you are in, by name, with what each grants."""
        page = await service.groups.mine(viewer, limit=limit, cursor=cursor)
        return listed([views.group(each) for each in page.entries], page.next_cursor)

    # -- the catalog as a file

    @api.get(
        "/catalog/export",
        Fus.EXPORT,
        response_class=StreamingResponse,
        responses={200: {"description": "The file.", "content": content_types()}},
        refuses=[422],
    )
    async def export(format: FileFormat = "html") -> StreamingResponse:
        """Every site, as a file."""
        return download(service.transfer, format)

    @api.post(
        "/catalog/import",
        Fus.IMPORT,
        response_model=views.ImportReport,
        refuses=[413, 422, 429],
        most_bytes=MOST_BYTES + 20_000,
    )
    async def bring_in(
        viewer: CurrentViewer,
        file: UploadFile,
        format: Annotated[Format | None, Query(description="Told by the file itself where it is left out.")] = None,
        folders_as_tags: Annotated[
            bool, Query(alias="foldersAsTags", description="Whether folders of bookmarks become tags.")
        ] = False,
    ) -> Json:
        """Add the sites of a file (at most 2 MB and 2,000 entries) that are not there yet, and tell of every row."""
        data = await file.read()
        report = await service.transfer.bring_in(viewer, data, format, folders_as_tags=folders_as_tags)
        return Json(views.report(report))

    return api
